import type { Queue } from '../../base/queue.ts'
import type { CollectedSite } from '../crawl/collected-site.ts'
import type { ExportReport } from '../model/report.ts'
import type { BundleMap } from '../rewrite/bundle-map.ts'
import type { Findings } from './findings.ts'
import type { BundlePlan } from './plan-bundle.ts'

/** The state that the parts which write one bundle share. */
export interface Writing {
  collected: CollectedSite
  folder: string
  plan: BundlePlan
  map: BundleMap
  /** Paths of all files of the bundle. */
  paths: ReadonlySet<string>
  /** Bounds the files that are read and written at once. */
  queue: Queue
  found: Findings
  /** Addresses that lead nowhere in the bundle. */
  unresolved: ExportReport['unresolved']
}

/** Sorted by key. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
