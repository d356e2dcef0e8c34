import { type ExportReport, maxExcludedPages, type PlaceName, type ScriptMode } from '../model/report.ts'
import { describeSearch } from './describe-search.ts'

const maxNames = 3
const maxNameLength = 80
const maxReasonLength = 160

const where: Record<PlaceName, string> = {
  root: 'at the root of a host',
  folder: 'in a folder of a host',
  file: 'opened from file://',
}

/**
 * Says in sentences what an export lost, removed and froze, most important first. Each sentence is one line. Empty when the
 * bundle has everything that the site has.
 */
export function describeOutcome(report: ExportReport): string[] {
  const { skipped, excludedPages, missingFiles, removedThirdParty, renderedPages, frozenReferences } = report
  const references = new Set(frozenReferences.map(({ page }) => page))
  return [
    list(skipped, ['page was left out', 'pages were left out'], ({ url, reason }) => `${url} (${reason})`),
    list(report.deadLinks, ['missing page is linked', 'missing pages are linked'], ({ to }) => to),
    list(missingFiles, ['file could not be fetched', 'files could not be fetched'], ({ url }) => url),
    list(
      report.unresolved,
      ['address does not resolve in the bundle', 'addresses do not resolve in the bundle'],
      ({ page, address }) => `${address} on ${page}`,
    ),
    ...describeDifferences(report),
    ...describeSearch(report),
    list(
      report.removedFeatures,
      ['product was removed', 'products were removed'],
      ({ product, pages }) => `${product} from ${count(pages, ['page', 'pages'])}`,
    ),
    list(
      frozenReferences,
      [
        'API reference is kept as text, without what sends requests and with tabs that do nothing',
        'API references are kept as text, without what sends requests and with tabs that do nothing',
      ],
      ({ page, product, removed }) => `${cut(page, maxNameLength)} (${describeReference(product, removed)})`,
      maxReasonLength,
    ),
    list(
      removedThirdParty,
      ['file of another site was left out', 'files of other sites were left out'],
      ({ url, reason }) => `${url} (${reason})`,
    ),
    `${excludedPages.length >= maxExcludedPages ? 'At least ' : ''}${list(
      excludedPages,
      ['page was excluded by your rules', 'pages were excluded by your rules'],
      ({ url }) => url,
    )}`,
    list(
      renderedPages.filter(page => !references.has(page)),
      [
        'page is a copy of what a browser shows, without scripts',
        'pages are copies of what a browser shows, without scripts',
      ],
      page => page,
    ),
    ...describeScripts(report.scripts),
  ].filter(sentence => sentence !== '')
}

/** Says whether there is something to look at in a report, and how much. */
export function describeVerdict(sentences: readonly string[]): string {
  if (sentences.length === 0)
    return 'Complete: nothing was lost, removed or changed. The bundle has everything that the site has.'
  return count(sentences.length, ['thing to look at', 'things to look at'])
}

/** Names a reference and its removed parts. */
function describeReference(product: string, removed: readonly string[]): string {
  return removed.length === 0 ? product : `${product}; removed: ${removed.join(', ')}`
}

/** Counts the items and names the first three; '' for none. */
function list<T>(
  items: readonly T[],
  forms: [string, string],
  name: (item: T) => string,
  maxLength = maxNameLength,
): string {
  if (items.length === 0) return ''
  const names = items.slice(0, maxNames).map(item => cut(name(item), maxLength))
  const such = items.length > maxNames ? ', such as ' : ': '
  return `${count(items.length, forms)}${such}${names.join(', ')}.`
}

function describeDifferences({ differences, scripts }: ExportReport): string[] {
  const [first] = differences
  if (!first) return []
  const pages = new Set(differences.map(({ page }) => page)).size
  const of = count(scripts.checkedPages.length, ['opened page', 'opened pages'])
  const example = `${first.page} ${where[first.place]} (${cut(first.what, maxReasonLength)})`
  return [`${pages} of ${of} ${pages === 1 ? 'differs' : 'differ'} from the origin, such as ${example}.`]
}

/** One sentence for each mode that keeps scripts from running somewhere. */
function describeScripts({ mode, reason, groups }: ExportReport['scripts']): string[] {
  if (groups.every(group => group.mode === mode)) return describeMode(mode, reason, '')
  return [...new Set(groups.map(group => group.mode))].flatMap(mode => {
    const same = groups.filter(group => group.mode === mode)
    const pages = same.reduce((sum, group) => sum + group.pages, 0)
    const on = ` on ${count(pages, ['page', 'pages'])}, such as ${cut(same[0]?.example ?? '', maxNameLength)}`
    return describeMode(mode, same[0]?.reason ?? null, on)
  })
}

function describeMode(mode: ScriptMode, reason: string | null, on: string): string[] {
  if (mode === 'none' || mode === 'everywhere') return []
  const why = reason === null ? '' : `: ${cut(reason, maxReasonLength)}`
  if (mode === 'frozen') return [`The scripts of the site are left out${on}${why}.`]
  const place = mode === 'hosted' ? 'only on a host, and not from file://,' : 'only at the root of a host'
  return [`The scripts of the site run ${on === '' ? place.replace(/,$/, '') : place}${on}${why}.`]
}

function count(number: number, [one, many]: [string, string]): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Shortens a text, and removes the period at its end, because the sentence has one. */
function cut(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').replace(/\.$/, '')
  return line.length > length ? `${line.slice(0, length)}...` : line
}
