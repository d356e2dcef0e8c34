import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { chartLibrary } from '../../../generated/chart.ts'
import robots from '../../analytics/agents/ai-robots-txt.json' with { type: 'json' }
import { sqliteVersion } from '../../store/sqlite-version.ts'
import type { Component } from './component.ts'

interface LicenseSources {
  /** The folders of the packages that are inside; without it, those that `folder` needs to run. */
  packages?: readonly string[]
  /** The package with the Node that is inside, if one is. */
  node?: { folder: string; version: string }
}

/**
 * Lists Quire and everything in it, from the metadata of the packages.
 *
 * @param folder the top folder of Quire
 * @throws {Error} when a package cannot be read.
 */
export async function collectLicenses(folder: string, { packages, node }: LicenseSources = {}): Promise<Component[]> {
  const own = await readPackage(folder)
  const folders = packages ?? (await listProductionPackages(folder))
  const components = await Promise.all(folders.map(readPackage))
  if (node) components.push({ ...(await readPackage(node.folder)), name: 'Node.js', url: 'https://nodejs.org' })
  const all = [...components, ...withoutPackage()]
  // A package may be installed in several places.
  const distinct = new Map(all.map(component => [`${component.name} ${component.version}`, component]))
  return [{ ...own, name: 'Quire' }, ...[...distinct.values()].sort(compare)]
}

/** What is inside other packages, or was copied. */
function withoutPackage(): Component[] {
  return [
    {
      name: 'SQLite',
      version: sqliteVersion,
      license: 'blessing',
      url: 'https://www.sqlite.org/copyright.html',
      text: 'The authors disclaim copyright to this source code: it is in the public domain.',
    },
    {
      name: 'ai.robots.txt',
      version: robots.release ?? null,
      license: 'MIT',
      url: 'https://github.com/ai-robots-txt/ai.robots.txt',
      text: '',
    },
    { ...chartLibrary, url: 'https://github.com/leeoniya/uPlot' },
  ]
}

function compare(a: Component, b: Component): number {
  const [left, right] = [a, b].map(({ name, version }) => `${name.toLowerCase()} ${version}`) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}

interface Manifest {
  name: string
  version: string
  license?: string | { type?: string }
  licenses?: readonly { type?: string }[]
  homepage?: string
  repository?: string | { url?: string }
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const legalFile = /^(?:licen[cs]e|copying|copyright|notice)/i

/** Reads a package from its folder. */
async function readPackage(folder: string): Promise<Component> {
  const { name, version, license, licenses, homepage, repository } = await readManifest(folder)
  const written = typeof license === 'string' ? license : license?.type
  return {
    name,
    version,
    license: written ?? licenses?.map(({ type }) => type ?? 'unknown').join(' OR ') ?? 'unknown',
    url: homepage ?? toUrl(typeof repository === 'string' ? repository : repository?.url),
    text: await readLegalTexts(folder),
  }
}

/** Lists the folders of the packages that a package needs to run, directly and indirectly. Packages for other systems are missing. */
async function listProductionPackages(folder: string): Promise<string[]> {
  const found = new Set<string>()
  const waiting = [folder]
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const { dependencies, optionalDependencies } = await readManifest(from)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = findPackage(name, from)
      if (needed === undefined || found.has(needed)) continue
      found.add(needed)
      waiting.push(needed)
    }
  }
  return [...found].sort()
}

/** Finds the folder of a package as Node does: in the nearest node_modules above. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return undefined
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}

async function readLegalTexts(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isFile() && legalFile.test(entry.name)).map(({ name }) => name)
  const texts = await Promise.all(names.sort().map(name => readFile(join(folder, name), 'utf8')))
  return texts.map(text => text.trim()).join('\n\n')
}

/** Turns what package.json calls a repository into an address that people can open. */
function toUrl(repository: string | undefined): string | null {
  if (repository === undefined) return null
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(repository)?.[1]
  if (short !== undefined) return `https://github.com/${short}`
  const url = repository
    .replace(/^git\+/, '')
    .replace(/^git:\/\//, 'https://')
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/')
  return /^https?:\/\//.test(url) ? url.replace(/\.git$/, '') : null
}
