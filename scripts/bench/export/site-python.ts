import { existsSync } from 'node:fs'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { listFiles } from './markdown.ts'
import { runTool } from './run-tool.ts'
import type { BenchSite } from './site.ts'

const debianPackage = 'python3.11-doc'
const folder = '/usr/share/doc/python3.11/html'

/** The documentation of Python as packaged by Debian. Sphinx built it, and the server sends complete pages. */
export const pythonSite: BenchSite = {
  name: 'python',
  description: `Python docs (Debian ${debianPackage})`,
  isUnseen: false,
  isServerRendered: true,
  hasFallback: false,
  async prepare(cacheFolder) {
    if (!existsSync(folder)) {
      const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
      const by = `apt-get install ${debianPackage}`
      if (!isDebianRoot) throw new OperatorError(`${folder} is missing. Install it as root with: ${by}`)
      await runTool('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], {
        folder: cacheFolder,
        log: 'apt-get.log',
        env: { DEBIAN_FRONTEND: 'noninteractive' },
      })
    }
    return { folder, pages: listFiles(folder, '.html').map(path => `/${path.replace(/^index\.html$/, '')}`) }
  },
  search: {
    path: '/search.html?q={query}',
    hits: '#search-results li > a',
    queries: ['zoneinfo', 'asyncio', 'dataclass', 'walrus', 'pathlib', 'regex', 'socket', 'pickle', 'decimal', 'venv'],
  },
}
