import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The text of a file that ships with Quire, by its path from the top folder. The only place that knows where they are. */
export function readAsset(
  path: 'generated/openapi.json' | 'README.md' | 'CHANGELOG.md' | 'package.json' | `server/docs/pages/${string}.md`,
): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The folders of server/ that an export is made by: export itself, and all that it may import. */
const engineFolders = ['base', 'tenancy', 'web', 'export']

/** Names this build of the export engine, its dependencies included: what another one made is not handed out as its own. */
export function describeEngine(): string {
  const hash = createHash('sha256').update(readAsset('package.json'))
  for (const name of listSources()) hash.update(`\n${name}\n`).update(readFileSync(join(import.meta.dirname, name)))
  return hash.digest('hex')
}

/** None where the sources are packed in a binary: there every build has a version of its own. */
function listSources(): string[] {
  return engineFolders.flatMap(folder => {
    try {
      const names = readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
      return names
        .filter(name => name.endsWith('.ts'))
        .sort()
        .map(name => `${folder}/${name}`)
    } catch {
      return []
    }
  })
}
