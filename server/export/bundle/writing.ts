import type { Queue } from '../../base/queue.ts'
import type { CollectedSite } from '../crawl/collected-site.ts'
import type { ExportReport } from '../model/report.ts'
import type { BundleMap } from '../rewrite/bundle-map.ts'
import type { Findings } from './findings.ts'
import type { BundlePlan } from './plan-bundle.ts'

/** The state shared by the functions that write one bundle. */
export interface Writing {
  collected: CollectedSite
  folder: string
  plan: BundlePlan
  map: BundleMap
  /** Paths of all files of the bundle. */
  paths: ReadonlySet<string>
  /** Limits how many files are read and written at once. */
  queue: Queue
  found: Findings
  /** Addresses that do not resolve in the bundle. */
  unresolved: ExportReport['unresolved']
}

/** Returns the entries of a map, sorted by key. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
