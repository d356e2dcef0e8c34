import { existsSync, readdirSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { unpackArchive } from '../../../test/export/read-archive.ts'

/** A program that copies a site. */
export interface Tool {
  name: string
  isOurs: boolean
  /** Whether it renders every page in a browser; not run on sites whose server sends complete pages. */
  needsBrowser: boolean
  /** Returns the reason why the tool cannot run here; undefined when it can. */
  findObstacle(): string | undefined
  /** Returns the command that copies a site into the empty `folder`; `domain` = see `BenchSite`. */
  command(url: string, folder: string, domain?: string): { program: string; args: string[] }
  /** Returns the folder with the copy of the site's root after a run; undefined = none. */
  findRoot(folder: string): string | undefined
}

const project = resolve(import.meta.dirname, '../../..')
const peers = resolve(import.meta.dirname, '../node_modules')
const needsPeer = (name: string) =>
  existsSync(join(peers, name)) ? undefined : `${name} is not in scripts/bench/node_modules`
const needsBrowser = () => (findBrowser() ? undefined : `no Chromium found; install one with: ${installCommand()}`)
const needsProgram = (name: string) =>
  findProgram(name) ? undefined : `${name} is not installed; on Debian: apt-get install ${name}`

/**
 * Quire with its defaults. `quireStatic` does not verify the bundle in a browser, because no peer does. The goals for speed use
 * `quireStatic`.
 */
export const quire = exporter('quire', [])
export const quireStatic = exporter('quire --verify static', ['--verify', 'static'])

export const tools: readonly Tool[] = [
  quire,
  quireStatic,
  {
    name: 'wget',
    isOurs: false,
    needsBrowser: false,
    findObstacle: () => needsProgram('wget'),
    command: (url, folder) => ({ program: 'wget', args: ['--mirror', '-p', '-k', '-E', '-nv', '-P', folder, url] }),
    findRoot: findHostFolder,
  },
  {
    name: 'httrack',
    isOurs: false,
    needsBrowser: false,
    findObstacle: () => needsProgram('httrack'),
    // The defaults limit the rate. These are the fastest settings that httrack allows.
    command: (url, folder) => ({
      program: 'httrack',
      args: [
        ...[url, '-O', folder, '--quiet', '--disable-security-limits', '--max-rate=0', '--connection-per-second=0'],
        ...['--sockets=16', '--robots=0', '--near'],
      ],
    }),
    findRoot: findHostFolder,
  },
  {
    name: 'website-scraper',
    isOurs: false,
    needsBrowser: false,
    findObstacle: () => needsPeer('website-scraper'),
    command: (url, folder) => ({
      program: process.execPath,
      args: [join(import.meta.dirname, 'website-scraper.ts'), url, join(folder, 'copy')],
    }),
    findRoot: folder => findHostFolder(join(folder, 'copy')),
  },
  {
    name: 'website-scraper-puppeteer',
    isOurs: false,
    needsBrowser: true,
    findObstacle: () => needsPeer('website-scraper-puppeteer') ?? needsBrowser(),
    command: (url, folder) => ({
      program: process.execPath,
      args: [join(import.meta.dirname, 'website-scraper.ts'), url, join(folder, 'copy'), findBrowser() ?? ''],
    }),
    findRoot: folder => findHostFolder(join(folder, 'copy')),
  },
  {
    name: 'single-file-cli',
    isOurs: false,
    needsBrowser: true,
    findObstacle: () => needsPeer('single-file-cli') ?? needsBrowser(),
    command: (url, folder) => ({
      program: process.execPath,
      args: [
        join(peers, 'single-file-cli/single-file-node.js'),
        ...[url, '--browser-executable-path', findBrowser() ?? '', '--output-directory', folder],
        ...['--crawl-links', '--crawl-max-depth', '0', '--crawl-replace-URLs', 'true'],
        ...['--filename-template', '%if-empty<{url-pathname}|index>.{filename-extension}'],
        ...(process.getuid?.() === 0 ? ['--browser-arg=--no-sandbox'] : []),
      ],
    }),
    findRoot: folder => folder,
  },
]

/** The benchmark unpacks the archive outside the measured time, because the other tools create no archive. */
function exporter(name: string, flags: string[]): Tool {
  return {
    name,
    isOurs: true,
    needsBrowser: false,
    findObstacle: () => undefined,
    command: (url, folder, domain) => ({
      program: process.execPath,
      args: [
        ...[join(project, 'server/main.ts'), 'export'],
        ...(domain === undefined ? [url] : [domain, '--origin', url]),
        ...['-o', join(folder, 'bundle.zip'), '--json', ...flags],
      ],
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

function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map(folder => join(folder, name)).find(file => statSync(file, { throwIfNoEntry: false })?.isFile())
}
