import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { unpackArchive } from '../../../test/export/read-archive.ts'
import { installDebian, installNpm } from './make-site.ts'

/** A program that copies a site. */
export interface Tool {
  name: string
  isOurs: boolean
  /**
   * Installs the tool, if it is missing.
   *
   * @throws {OperatorError} when it must be installed by hand.
   */
  prepare(cacheFolder: string): Promise<unknown>
  /** Returns the command that copies a site into the empty `folder`. */
  command(url: string, folder: string, cacheFolder: string): { program: string; args: string[] }
  /** Returns the program and arguments that check the copy in `folder`, and print JSON. With `opensAll`, opens all pages. */
  check?(folder: string, opensAll: boolean): [program: string, args: string[]]
  /** Returns the folder with the copy of the site's root after a run; undefined = none. */
  findRoot(folder: string): string | undefined
}

const main = resolve(import.meta.dirname, '../../../server/main.ts')

/**
 * Quire with its defaults. `quireStatic` does not verify the bundle in a browser, because no peer does. The goals for speed use
 * `quireStatic`.
 */
export const quire: Tool = {
  ...exporter('quire', []),
  check(folder, opensAll) {
    const verify = opensAll ? ['--verify', 'full'] : []
    return [process.execPath, [main, 'export', '--check', join(folder, 'bundle.zip'), '--json', ...verify]]
  },
}
export const quireStatic = exporter('quire --verify static', ['--verify', 'static'])

const scrape = `import scrape from 'website-scraper'
const [url, directory] = process.argv.slice(2)
const urlFilter = found => found.startsWith(new URL(url).origin + '/')
// By default, there is no limit of requests at once.
await scrape({ urls: [url], directory, recursive: true, filenameGenerator: 'bySiteStructure', urlFilter, requestConcurrency: 16 })
`

export const tools: readonly Tool[] = [
  quire,
  quireStatic,
  {
    name: 'wget',
    isOurs: false,
    prepare: cacheFolder => installDebian(['wget'], '/usr/bin/wget', cacheFolder),
    command: (url, folder) => ({ program: 'wget', args: ['--mirror', '-p', '-k', '-E', '-nv', '-P', folder, url] }),
    findRoot: findHostFolder,
  },
  {
    name: 'website-scraper',
    isOurs: false,
    prepare: cacheFolder =>
      installNpm(cacheFolder, 'scraper', { 'website-scraper': '6.0.0' }, { 'scrape.mjs': scrape }),
    command: (url, folder, cacheFolder) => ({
      program: process.execPath,
      args: [join(cacheFolder, 'site-scraper/scrape.mjs'), url, join(folder, 'copy')],
    }),
    findRoot: folder => findHostFolder(join(folder, 'copy')),
  },
]

/** The benchmark unpacks the archive outside the measured time, because the other tools create no archive. */
function exporter(name: string, flags: string[]): Tool {
  return {
    name,
    isOurs: true,
    prepare: async () => {},
    command: (url, folder) => ({
      program: process.execPath,
      args: [main, 'export', url, '-o', join(folder, 'bundle.zip'), '--json', ...flags],
    }),
    findRoot(folder) {
      const archive = join(folder, 'bundle.zip')
      if (!existsSync(archive)) return undefined
      unpackArchive(archive, join(folder, 'bundle'))
      return join(folder, 'bundle')
    },
  }
}

/** Mirroring tools copy a site into a folder named after its host. */
function findHostFolder(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const host = readdirSync(folder).find(name => /^127\.0\.0\.1\D/.test(name))
  return host === undefined ? undefined : join(folder, host)
}
