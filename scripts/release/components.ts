import { createHash } from 'node:crypto'
import type { BinaryComponent } from '../build-binary/build-binary.ts'

/** What the lock file says of a package, by its path such as `node_modules/express`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

interface LockedPackage {
  version?: string
  license?: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** A file of a release, and what is in it. */
export interface Described {
  name: string
  version: string
  sha256: string
  components: readonly ReleaseComponent[]
}

export interface ReleaseComponent extends BinaryComponent {
  /** As npm writes it, such as `sha512-...`; undefined for what is not a package of npm. */
  integrity?: string | undefined
  /** The address of what is not a package of npm; without it, its name makes one. */
  purl?: string
  /** A library by default. */
  type?: 'container'
}

/** Lists the packages that some packages need to run, directly and indirectly, in the versions that the lock file has. */
export function listLocked(packages: LockedPackages, names: readonly string[]): ReleaseComponent[] {
  const found = new Map<string, ReleaseComponent>()
  const waiting = names.map(name => ({ name, from: '' }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const path = findLocked(packages, next.name, next.from)
    if (path === undefined || found.has(path)) continue
    const { version = null, license = 'unknown', integrity, ...needed } = packages[path] as LockedPackage
    found.set(path, { name: next.name, version, license, integrity })
    const names = Object.keys({ ...needed.dependencies, ...needed.optionalDependencies })
    waiting.push(...names.map(name => ({ name, from: path })))
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component)
}

/** Finds a package as Node does: in the nearest node_modules above. */
function findLocked(packages: LockedPackages, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

/** Lists what is in a file of a release, as JSON of CycloneDX 1.6. The same input gives the same text. */
export function writeComponents(described: Described, packages: LockedPackages, at: Date): string {
  const { name, version, sha256 } = described
  const components = described.components.map(component => toComponent(component, packages))
  const metadata = {
    timestamp: at.toISOString(),
    component: { type: 'application', name, version, hashes: [{ alg: 'SHA-256', content: sha256 }] },
  }
  const content = { metadata, components }
  const serialNumber = `urn:uuid:${toUuid(JSON.stringify(content))}`
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1, ...content }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function toComponent(component: ReleaseComponent, packages: LockedPackages): object {
  const { name, version, license, integrity, purl = makePurl(component, packages), type = 'library' } = component
  const [, algorithm, base64 = ''] = /^sha(\d+)-([^ ]+)/.exec(integrity ?? '') ?? []
  const content = Buffer.from(base64, 'base64').toString('hex')
  return {
    type,
    name,
    ...(version === null ? {} : { version }),
    purl,
    licenses: isExpression(license) ? [{ expression: license }] : [{ license: { name: license } }],
    ...(algorithm === undefined ? {} : { hashes: [{ alg: `SHA-${algorithm}`, content }] }),
  }
}

function makePurl({ name, version }: ReleaseComponent, packages: LockedPackages): string {
  const isPackage = `node_modules/${name}` in packages
  const purlName = isPackage ? name.replace('@', '%40') : encodeURIComponent(name.toLowerCase())
  return `pkg:${isPackage ? 'npm' : 'generic'}/${purlName}${version === null ? '' : `@${version}`}`
}

/** Authors may write anything in place of an SPDX expression. */
function isExpression(license: string): boolean {
  return license !== 'unknown' && /^\(?[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*\)?$/.test(license)
}

/** A UUID that only the text decides (RFC 9562, version 8). */
function toUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
