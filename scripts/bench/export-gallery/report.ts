import { type PlaceVerdict, percent } from './judge.ts'
import { placeNames } from './place.ts'
import type { SiteResult } from './run-site.ts'

const heads = [
  'site',
  'pages',
  'text: root',
  'folder',
  'file',
  'failed',
  'outbound',
  'errors',
  'hydrated',
  'theme',
].concat(['click', 'search hits', 'export s', 'load', 'UTC', 'commit', 'what differs from the origin, and why'])

/** The head of the table, as Markdown lines. */
export const tableHead: readonly string[] = [toRow(heads), toRow(heads.map(() => '---'))]

/** Formats one result as a row. `failed`, `outbound`, `errors` and the columns after them are root / folder / file. */
export function toTableRow(result: SiteResult): string {
  const { site, verdict, wallSeconds, loadAverage, at, commit } = result
  const places = verdict ? placeNames.map(name => verdict.places[name]) : undefined
  const three = (cell: (place: PlaceVerdict) => string) => (places ? joinSame(places.map(cell)) : '-')
  return toRow([
    site,
    verdict ? `${verdict.pages - verdict.missing.length} of ${verdict.pages}` : '-',
    ...(places?.map(({ same, opened, leastShare }) => `${same}/${opened}, ${percent(leastShare)}`) ?? ['-', '-', '-']),
    three(({ failed }) => String(failed.length)),
    three(({ outbound }) => String(outbound.length)),
    three(({ errors }) => String(errors.length)),
    three(({ isHydrated }) => yesNo(isHydrated)),
    three(({ themeWorks }) => yesNo(themeWorks)),
    three(({ clickWorks }) => yesNo(clickWorks)),
    result.hits ? `${sum(result.hits)}: ${three(({ hits }) => String(sum(hits ?? [])))}` : '-',
    wallSeconds === undefined ? '-' : wallSeconds.toFixed(1),
    loadAverage.toFixed(1),
    at.slice(0, 16).replace('T', ' '),
    commit ?? '-',
    explain(result),
  ])
}

/** Lists what misses the goals of the gallery. Empty = the bundle is as at the origin where it must be. */
export function listMisses({ verdict, hits, obstacle, exitCode }: SiteResult): string[] {
  if (!verdict) return [obstacle ?? 'no verdict']
  const { missing, pages, places } = verdict
  const misses: string[] = []
  const add = (text: string, isMissed: boolean) => void (isMissed && misses.push(text))
  add(`${missing.length} pages missing, such as ${missing[0]}`, missing.length > 0.01 * pages)
  add(`exit code ${exitCode}`, exitCode !== 0)
  const { root } = places
  add(`root: ${root.opened - root.same} pages with other words`, root.same < root.opened)
  for (const name of ['folder', 'file'] as const)
    add(`${name}: ${percent(places[name].leastShare)} of the words`, places[name].leastShare < 0.99)
  for (const name of placeNames) {
    const { failed, outbound, errors } = places[name]
    add(`${name}: failed ${failed[0]}`, failed.length > 0)
    add(`${name}: outbound ${outbound[0]}`, outbound.length > 0)
    add(`${name}: error ${errors[0]}`, errors.length > 0)
  }
  add('root: not hydrated', root.isHydrated === false)
  add('root: theme button dead', root.themeWorks === false)
  add('root: click', root.clickWorks === false)
  add(`root: hits ${root.hits} <> ${hits}`, hits !== undefined && root.hits?.join() !== hits.join())
  return misses
}

/** Lists what was observed on single pages, the first few in each place, for the one who looks for the cause. */
export function listRemarks({ verdict }: SiteResult): string[] {
  if (!verdict) return []
  const missing = verdict.missing.slice(0, 5).map(path => `missing: ${path}`)
  const inPlaces = placeNames.flatMap(name => {
    const { remarks, failed, outbound, errors } = verdict.places[name]
    const requests = [...failed.map(line => `failed ${line}`), ...outbound.map(line => `outbound ${line}`)]
    const observed = [...requests, ...errors.map(line => `error ${line}`)].slice(0, 4)
    return [...remarks.slice(0, 8), ...observed].map(line => `${name}: ${line.slice(0, 300)}`)
  })
  return [...missing, ...inPlaces]
}

/** Names what misses the goals; otherwise why scripts do not run everywhere. */
function explain(result: SiteResult): string {
  const { scripts, note } = result
  const limited = scripts && !['none', 'everywhere'].includes(scripts.mode)
  const why = limited ? [`scripts ${scripts.mode}: ${scripts.reason ?? ''}`] : []
  // The table shows what is missed. The reason and one example are enough.
  const misses = listMisses(result)
  const text = [...misses.slice(0, 3), ...(note && misses.length > 0 ? [note] : []), ...why].join('; ')
  return text.length > 300 ? `${text.slice(0, 297)}...` : text
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`
}

/** Three equal cells are written once. */
function joinSame(cells: readonly string[]): string {
  return new Set(cells).size === 1 ? (cells[0] ?? '') : cells.join(' / ')
}

function yesNo(value: boolean | undefined): string {
  return value === undefined ? '-' : value ? 'yes' : 'no'
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
