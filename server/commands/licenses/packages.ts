import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Component } from './component.ts'

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
export async function readPackage(folder: string): Promise<Component> {
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
export async function listProductionPackages(folder: string): Promise<string[]> {
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
