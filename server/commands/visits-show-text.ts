import { toAgentKey } from '../analytics/agents/agent-use.ts'
import { parseDay } from '../analytics/day.ts'
import { type ComparedReport, showChange } from '../analytics/report/compare.ts'
import { explainAi, explainLoaded } from '../analytics/report/explain-counts.ts'
import type { FailedPages } from '../analytics/report/failed-report.ts'
import type { ReportFilter } from '../analytics/report/filter-report.ts'
import type { LabelReport, TotalVisitors, VisitReport, VisitSeries } from '../analytics/report/visit-report.ts'
import type { CountingSettings, VisitorRules } from '../tenancy/project.ts'
import { type BarHeadings, type BarRow, drawBars } from './bars.ts'
import { showCount, showCountOf } from './print.ts'
import { wrapProse } from './prose.ts'

interface ShownReport extends VisitReport {
  project: string
  name: string
  filter?: ReportFilter
  compared?: ComparedReport | null
  visitorRules: VisitorRules
  counting: CountingSettings
}

/** Max rows of each list. */
interface Limits {
  width: number
  limit: number
}

const maxSources = 2

/** Draws a report for a terminal. */
export function drawReport(report: ShownReport, limits: Limits): string {
  const { width } = limits
  const { name, project, dateFrom, dateTo, totals, series, labels, labelledFrom, prunedBefore, filter, compared } =
    report
  const whose = `${name} (${project})`
  if (dateFrom === null || dateTo === null) return `No visits of ${whose} in these days.`
  const title = `Visitors of ${whose}, ${dateFrom} to ${dayBefore(dateTo)} UTC`
  const lists = [
    drawPages(report, limits),
    drawAgents(report, limits),
    drawFiles(labels, limits),
    drawReferrals(report, limits),
    drawFailed('PAGE NOT FOUND', labels.failed.missing, limits, filter),
    drawFailed('PAGE WITH A SERVER ERROR', labels.failed.broken, limits, filter),
    drawNeither(labels, limits),
  ]
  return [
    wrap(title, width),
    filter?.path === undefined ? drawTotals(totals, compared, width) : '',
    compared ? wrap(explainCompared(compared), width) : '',
    wrap(explainVisitors(report.visitorRules), width),
    labels.loaded === 0 ? '' : wrap(explainLoaded(showCount(labels.loaded), showCount(totals.human)), width),
    wrap(explainAi(report.counting), width),
    prunedBefore === null ? '' : wrap(explainPruned(prunedBefore), width),
    filter?.path === undefined ? drawSeries(series, totals, width) : '',
    ...lists,
    filter && lists.every(list => list === '') ? 'Nothing in these days matches the filter.' : '',
    labelledFrom === null ? '' : wrap(explainUnlabelled(labelledFrom), width),
  ]
    .filter(section => section !== '')
    .join('\n\n')
}

function explainVisitors(rules: VisitorRules): string {
  return rules === 1
    ? 'A visitor is one network address with one user agent. Most IPv6 addresses change each day, so their readers count again; npx quire visits reset --help tells how to count by the first 64 bits.'
    : 'A visitor is one network address (of IPv6: its first 64 bits) with one user agent.'
}

function drawTotals(
  { human, ai, both, total }: TotalVisitors,
  compared: ComparedReport | null | undefined,
  width: number,
): string {
  const before = compared?.totals
  const rows = [
    ['People', human, before?.human],
    ['AI', ai, before?.ai],
    ['Total', total, before?.total],
  ] as const
  const drawn = drawBars(
    { name: 'VISITORS', cells: ['', ...(before ? changeHeadings : [])] },
    rows.map(([name, count, old]) => ({ name, cells: [showCount(count), ...showChanges(count, old)], value: count })),
    width,
  )
  if (both === 0) return drawn
  const sentence = `${showCountOf(both, 'visitor')} ${both === 1 ? 'counts' : 'count'} as people and as AI, and once in the total.`
  return `${drawn}\n${wrap(sentence, width)}`
}

/** The bars show people, and behind them the visitors that are AI. */
const kindHeadings = { cells: ['TOTAL', 'PEOPLE', 'AI'], bars: '█ people  ░ AI' }

const periodHeadings = { day: 'DAY', week: 'WEEK FROM', month: 'MONTH FROM' }

function drawSeries({ by, periods }: VisitSeries, totals: TotalVisitors, width: number): string {
  if (periods.length < 2) return ''
  const headings = { name: periodHeadings[by], ...kindHeadings }
  const rows = periods.map(({ dateFrom, human, ai, total }) => ({
    name: by === 'day' ? `${dateFrom} ${weekdayOf(dateFrom)}` : dateFrom,
    cells: [total, human, ai].map(showCount),
    value: total,
    shaded: ai,
  }))
  const drawn = drawBars(headings, rows, width)
  // They add up to the total if the visitor key changes with each period.
  if (periods.reduce((sum, { total }) => sum + total, 0) <= totals.total) return drawn
  const note = `A visitor counts once in each ${by}, so these add up to more than the total.`
  return `${drawn}\n${wrap(note, width)}`
}

function drawPages({ pages, pageCount, compared }: ShownReport, { width }: Limits): string {
  const rows = pages.map(({ path, human, ai, total }, i) => ({
    name: path,
    cells: [...[total, human, ai].map(showCount), ...showChanges(total, compared?.pages[i]?.total)],
    value: total,
    shaded: ai,
  }))
  return drawList(
    { name: 'PAGE', ...kindHeadings, cells: [...kindHeadings.cells, ...(compared ? changeHeadings : [])] },
    rows,
    { width, more: pageCount - pages.length },
  )
}

function drawAgents({ labels: { agents, uses }, coverage, readFrom }: ShownReport, { width, limit }: Limits): string {
  const read = new Map(coverage.agents.map(row => [toAgentKey(row.agent, row.use), row.read]))
  const useRows = uses.map(({ use, visitors }) => [use, visitors] as const).map(toCountRow)
  const agentRows = agents.slice(0, limit).map(({ agent, use, visitors }) => ({
    name: agent,
    cells: [use, showCount(visitors), ...showShare(read.get(toAgentKey(agent, use)) ?? 0, coverage.pages)],
    value: visitors,
  }))
  const sentence = `PAGES is how many of the ${showCountOf(coverage.pages, 'page')} with visitors in these days the agent read${readFrom === null ? '' : ` since ${readFrom}: the visitors of earlier days were deleted`}.`
  return joinLists(
    drawList({ name: 'AI BY USE', cells: ['VISITORS'] }, useRows, { width }),
    drawList({ name: 'AI AGENT', cells: ['USE', 'VISITORS', 'PAGES', 'OF ALL'] }, agentRows, {
      width,
      more: agents.length - agentRows.length,
      sentence,
    }),
  )
}

function drawFiles({ files, readers }: LabelReport, { width, limit }: Limits): string {
  const rows = files.map(({ file, human, ai, neither }) => ({
    name: file,
    cells: [ai, human, neither].map(showCount),
    value: ai + human + neither,
  }))
  const readerRows = readers
    .slice(0, limit)
    .map(({ file, agent, visitors }) => ({ name: agent, cells: [file, showCount(visitors)], value: visitors }))
  return joinLists(
    drawList({ name: 'READ AS', cells: ['AI', 'PEOPLE', 'NEITHER'] }, rows, { width }),
    drawList({ name: 'AI AGENT', cells: ['READ', 'VISITORS'] }, readerRows, {
      width,
      more: readers.length - readerRows.length,
    }),
  )
}

function showShare(read: number, pages: number): string[] {
  return [showCount(read), pages === 0 ? '' : `${Math.round((100 * read) / pages)} %`]
}

function drawReferrals({ labels, assistantPages, filter }: ShownReport, { width, limit }: Limits): string {
  const { visitors, sites } = labels.referrals
  const siteRows = sites.map(({ site, assistant, visitors }) => ({
    name: assistant,
    cells: [site, showCount(visitors)],
    value: visitors,
  }))
  const pageRows = assistantPages.slice(0, limit).map(({ path, assistant, ai, human }) => ({
    name: path,
    cells: [assistant, ai === null ? '-' : showCount(ai), showCount(human)],
    value: human,
  }))
  const sentence =
    visitors === 0
      ? 'Nobody came from an AI assistant, or the log has no referrers.'
      : `${showCountOf(visitors, 'visitor')} followed a link of an AI assistant.`
  return joinLists(
    drawList({ name: 'FROM AI ASSISTANT', cells: ['SITE', 'PEOPLE'] }, siteRows, { width }),
    filter ? '' : wrap(sentence, width),
    drawList({ name: 'PAGE AND AI ASSISTANT', cells: ['ASSISTANT', 'AI', 'PEOPLE'] }, pageRows, {
      width,
      more: assistantPages.length - pageRows.length,
      sentence: explainAssistantPages,
    }),
  )
}

function drawFailed(
  name: string,
  { human, ai, unlisted, pages }: FailedPages,
  { width, limit }: Limits,
  filter?: ReportFilter,
): string {
  const rows = pages.slice(0, limit).map(({ path, human, ai, sites, agents }) => ({
    name: path,
    cells: [
      showCount(human),
      showCount(ai),
      [...agents.map(({ agent }) => agent), ...sites.map(({ site }) => site)].slice(0, maxSources).join(', '),
    ],
    value: human + ai,
  }))
  const drawn = drawList({ name, cells: ['PEOPLE', 'AI', 'AGENT, OR FROM'] }, rows, {
    width,
    more: pages.length - rows.length,
  })
  if (drawn === '' || filter) return drawn
  const more = unlisted.human + unlisted.ai === 0 ? '' : ' There are more pages than are listed.'
  const sentence = `${showCount(human)} people and ${showCount(ai)} AI visitors, not part of the total.${more}`
  return `${drawn}\n${wrap(sentence, width)}`
}

function drawNeither({ neither }: LabelReport, { width, limit }: Limits): string {
  const rows = neither.slice(0, limit).map(({ rule, visitors }) => toCountRow([rule, visitors]))
  const drawn = drawList({ name: 'NEITHER PEOPLE NOR AI', cells: ['VISITORS'] }, rows, {
    width,
    more: neither.length - rows.length,
  })
  return drawn === '' ? '' : `${drawn}\n${wrap('These programs are not part of the total.', width)}`
}

const explainAssistantPages =
  'AI is how many visitors of the assistant read the page in these days, for someone who asked or for its search. PEOPLE followed a link in the assistant to it in these days, before or after that; browsers may hide where they come from.'

const changeHeadings = ['BEFORE', 'CHANGE']

function showChanges(now: number, before: number | undefined): string[] {
  return before === undefined ? [] : [showCount(before), showChange(now, before)]
}

function explainCompared({ dateFrom, dateTo, visitedFrom }: ComparedReport): string {
  const days = `BEFORE is ${dateFrom} to ${dayBefore(dateTo)}.`
  return visitedFrom === null ? days : `${days} The visits begin on ${visitedFrom}, so it is not complete.`
}

function explainPruned(prunedBefore: string): string {
  return `The visitors before ${prunedBefore} were pruned, so those who came before and after that day count twice.`
}

function explainUnlabelled(labelledFrom: string): string {
  return (
    `Agents, files, referrals and programs are counted since ${labelledFrom}. An earlier version of Quire counted the days ` +
    'before. To add them, import the logs of those days again; no visit counts twice.'
  )
}

/** @param more number of rows that are not shown */
function drawList(
  headings: BarHeadings,
  rows: readonly BarRow[],
  { width, more = 0, sentence = '' }: { width: number; more?: number; sentence?: string },
): string {
  if (rows.length === 0) return ''
  const rest = more > 0 ? `\n${showCount(more)} more: use --limit, or npx quire visits export` : ''
  return drawBars(headings, rows, width) + rest + (sentence && `\n${wrap(sentence, width)}`)
}

function joinLists(...lists: string[]): string {
  return lists.filter(list => list !== '').join('\n\n')
}

function toCountRow([name, count]: readonly [string, number]): BarRow {
  return { name, cells: [showCount(count)], value: count }
}

function wrap(text: string, width: number): string {
  return wrapProse(text, width).join('\n')
}

function weekdayOf(date: string): string {
  return ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'][(parseDay(date) ?? 0) % 7] ?? ''
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}
