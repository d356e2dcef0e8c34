import { chartLibrary } from '../../../generated/chart.ts'
import robots from '../../analytics/agents/ai-robots-txt.json' with { type: 'json' }
import { sqliteVersion } from '../../store/sqlite-version.ts'
import type { Component } from './component.ts'
import { listProductionPackages, readPackage } from './packages.ts'

export interface LicenseSources {
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
