import { megabytes, toTableRow } from '../report.ts'
import { checkRatio } from './check-cost.ts'
import { type PlaceVerdict, percent } from './judge.ts'
import { listUnnamed } from './list-unnamed.ts'
import { placeNames } from './place.ts'
import type { Copy, SiteResult } from './run-site.ts'
import { quire, quireStatic } from './tools.ts'

const heads =
  'site, tool, pages, text: root, folder, file, failed, outbound, errors, hydrated, theme, tabs, click, search hits, own check, unnamed, wall s'
    .split(', ')
    .concat(['CPU s', 'MB, process', 'MB, process tree', 'copy MB', 'load', 'UTC', 'commit', 'what differs, and why'])

/** The head of the table, as Markdown lines. */
export const tableHead: readonly string[] = [toTableRow(heads), toTableRow(heads.map(() => '---'))]

/** Formats the copies of a site as rows. `failed`, `outbound`, `errors` and the columns after them are root / folder / file. */
export function toTableRows(result: SiteResult): string[] {
  return result.obstacle === undefined
    ? result.copies.map(copy => toTableRow(toCells(result, copy)))
    : [toTableRow([result.site, ...heads.slice(2).map(() => '-'), result.obstacle])]
}

function toCells(result: SiteResult, copy: Copy): string[] {
  const { verdict, wallSeconds, cpuSeconds, peakBytes, peakTreeBytes, bytes } = copy
  const places = verdict ? placeNames.map(name => verdict.places[name]) : undefined
  const three = (cell: (place: PlaceVerdict) => string) => (places ? joinSame(places.map(cell)) : '-')
  return [
    result.site,
    copy.tool,
    verdict ? `${verdict.pages - verdict.missing.length} of ${verdict.pages}` : '-',
    ...(places?.map(({ same, opened, leastShare }) => `${same}/${opened}, ${percent(leastShare)}`) ?? ['-', '-', '-']),
    three(({ failed }) => String(failed.length)),
    three(({ outbound }) => String(outbound.length)),
    three(({ errors }) => String(errors.length)),
    three(({ isHydrated }) => yesNo(isHydrated)),
    three(({ themeWorks }) => yesNo(themeWorks)),
    three(({ tabsWork }) => yesNo(tabsWork)),
    three(({ clickWorks }) => yesNo(clickWorks)),
    result.hits ? `${sum(result.hits)}: ${three(({ hits }) => String(sum(hits ?? [])))}` : '-',
    copy.ownFaults ? String(copy.ownFaults.length) : '-',
    copy.report ? String(listUnnamed(copy, result.hits).length) : '-',
    wallSeconds?.toFixed(1) ?? '-',
    cpuSeconds?.toFixed(1) ?? '-',
    megabytes(peakBytes),
    megabytes(peakTreeBytes),
    megabytes(bytes),
    result.loadAverage.toFixed(1),
    result.at.slice(0, 16).replace('T', ' '),
    result.commit ?? '-',
    explain(result, copy),
  ]
}

/** Lists what misses the goals in Quire's copies of a site, and in their speed beside the peers. Empty = none. */
export function listMisses(result: SiteResult): string[] {
  if (result.obstacle !== undefined) return [result.obstacle]
  const ours = result.copies.filter(({ tool }) => tool === quire.name)
  const ratio = result.check ? checkRatio(result.check, 'cpu') : 0
  const check = ratio > maxCheckRatio ? [`the check takes ${ratio.toFixed(2)} times the CPU time of a bare script`] : []
  return [...ours.flatMap(copy => listDifferences(copy, result.hits)), ...listSlow(result.copies), ...check]
}

function listDifferences(copy: Copy, hits: SiteResult['hits']): string[] {
  const { verdict, obstacle, exitCode, ownFaults = [] } = copy
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
  add('root: tabs dead', root.tabsWork === false)
  add('root: click', root.clickWorks === false)
  add(`root: hits ${root.hits} <> ${hits}`, hits !== undefined && root.hits?.join() !== hits.join())
  add(`own check: ${ownFaults.length} faults, such as ${ownFaults[0]}`, ownFaults.length > 0)
  for (const fault of listUnnamed(copy, hits)) add(`unnamed: ${fault}`, true)
  return misses
}

/** The check in a browser may take this many times the CPU time of a bare script that opens the same pages. */
const maxCheckRatio = 1.25

/** The export without the check may take this share of the time of wget. */
const maxShareOfWget = 0.7

/** In smaller exports, most of the time is the start of programs. */
const minPages = 50

/** Compares without verifying the bundle in a browser, because no peer does that. */
function listSlow(copies: readonly Copy[]): string[] {
  const find = (name: string) => copies.find(({ tool, verdict }) => tool === name && verdict)
  const [ours, wget, scraper] = [quireStatic.name, 'wget', 'website-scraper'].map(find)
  if (!ours?.verdict || !ours.wallSeconds || ours.verdict.pages < minPages) return []
  const seconds = ours.wallSeconds
  const misses: string[] = []
  const add = (text: string, isMissed: boolean) => void (isMissed && misses.push(text))
  const speed = ({ verdict, wallSeconds }: Copy) =>
    verdict && wallSeconds ? (verdict.pages - verdict.missing.length) / wallSeconds : 0
  // On sites with scripts, wget copies no page that works.
  const isCopy = (peer: Copy | undefined) => peer?.verdict?.places.root.same === peer?.verdict?.places.root.opened
  const ofWget = seconds / (wget?.wallSeconds ?? seconds)
  if (wget && isCopy(wget)) add(`${ofWget.toFixed(2)} of the time of wget`, ofWget > maxShareOfWget)
  if (scraper) add('less than 3 times as fast as website-scraper', speed(ours) < 3 * speed(scraper))
  if (scraper?.cpuSeconds && ours.cpuSeconds)
    add('more than half the CPU time of website-scraper', ours.cpuSeconds > scraper.cpuSeconds / 2)
  return misses
}

/** Lists what was observed on single pages, the first few in each place, for the one who looks for the cause. */
export function listRemarks({ copies }: SiteResult): string[] {
  const { verdict, ownFaults = [] } = copies.find(({ tool }) => tool === quire.name) ?? {}
  if (!verdict) return []
  const missing = verdict.missing.slice(0, 5).map(path => `missing: ${path}`)
  const inPlaces = placeNames.flatMap(name => {
    const { remarks, failed, outbound, errors } = verdict.places[name]
    const requests = [...failed.map(line => `failed ${line}`), ...outbound.map(line => `outbound ${line}`)]
    const observed = [...requests, ...errors.map(line => `error ${line}`)].slice(0, 4)
    return [...remarks.slice(0, 8), ...observed].map(line => `${name}: ${line.slice(0, 300)}`)
  })
  const own = ownFaults.slice(0, 8).map(fault => `own check: ${fault.slice(0, 300)}`)
  return [...missing, ...inPlaces, ...own]
}

/** Names what misses the goals; otherwise why scripts do not run everywhere. */
function explain({ note, hits }: SiteResult, copy: Copy): string {
  const scripts = copy.report?.scripts
  const limited = scripts && !['none', 'everywhere'].includes(scripts.mode)
  const why = limited ? [`scripts ${scripts.mode}: ${scripts.reason ?? ''}`] : []
  // The table shows what is missed. The reason and one example are enough.
  const misses = listDifferences(copy, hits)
  const text = [...misses.slice(0, 3), ...(note && misses.length > 0 ? [note] : []), ...why].join('; ')
  return text.length > 300 ? `${text.slice(0, 297)}...` : text
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
