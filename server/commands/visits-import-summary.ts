import { formatDay } from '../analytics/day.ts'
import { nameDialect } from '../analytics/envelopes/detect-dialect.ts'
import { envelopes } from '../analytics/envelopes/envelopes.ts'
import type { ImportedFile } from '../analytics/import/import-log.ts'
import { type ImportTally, sum } from '../analytics/import/import-tally.ts'
import type { LogReader } from '../analytics/import/log-reader.ts'
import type { ProjectViews } from '../analytics/import/visited-projects.ts'
import type { UniqueVisitorCounter, VisitorCounts } from '../analytics/unique-visitors.ts'
import { showCount } from './print.ts'
import { drawPairs } from './table.ts'
import { type LogWarning, listWarnings } from './visits-warnings.ts'

interface Counts {
  lines: number
  pageViews: ImportTally['views']
  /** Visitors that were new on a day, summed over the days; 0 if everything was imported before. */
  /** AI page views whose address belongs to their agent. */
  verifiedViews: number
  newVisitorDays: number
  /** Views on days whose visitors were pruned or whose visitor key was destroyed; they are not counted. */
  tooOldViews: number
  filtered: ImportTally['filtered']
  malformed: ImportTally['malformed']
  /** Page views by the rule that classified them, highest first. */
  rules: Record<string, number>
}

interface ProjectCounts extends Counts {
  project: string
  /** Visitors of the project on the days of this import, including earlier imports; `dateTo` is exclusive; null = no visits. */
  visitors: (VisitorCounts & { dateFrom: string; dateTo: string }) | null
}

/** The output of `--json`. Its own counts cover all lines. */
export interface ImportSummary extends Counts {
  seconds: number
  /** False when `--strict` refused the logs. */
  recorded: boolean
  files: Omit<ImportedFile, 'isUnread' | 'suspicions'>[]
  /** Reasons to believe that the counts are wrong. */
  warnings: LogWarning[]
  /** The projects that got lines. */
  projects: ProjectCounts[]
  /** Hosts without a site (`--by-host`) with their number of lines, largest first, at most ten. */
  unknownHosts: Record<string, number>
}

const maxHosts = 10

/**
 * Sums up the imported files, and counts the visitors on the days of the import.
 *
 * @param visits undefined = nothing was recorded
 */
export async function summarize(
  reader: LogReader,
  files: ImportedFile[],
  seconds: number,
  visits: UniqueVisitorCounter | undefined,
): Promise<ImportSummary> {
  const { projects, unknownHosts } = reader
  const visited = projects.length === 1 ? projects : projects.filter(({ tally }) => tally.lines > 0)
  return {
    seconds,
    ...toCounts(reader.tally),
    recorded: visits !== undefined,
    files: files.map(({ isUnread: _, suspicions: __, ...file }) => file),
    warnings: listWarnings(files),
    projects: await Promise.all(visited.map(project => summarizeProject(project, visits))),
    unknownHosts: toMostLines(unknownHosts),
  }
}

/** Returns the hosts without a site that have the most lines. */
export function toMostLines(unknownHosts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...unknownHosts].slice(0, maxHosts))
}

async function summarizeProject(
  { project, tally }: ProjectViews,
  visits: UniqueVisitorCounter | undefined,
): Promise<ProjectCounts> {
  const { firstDay, lastDay } = tally
  const counts = { project: project.id, ...toCounts(tally) }
  if (!visits || firstDay === undefined || lastDay === undefined) return { ...counts, visitors: null }
  const range = { dateFrom: firstDay, dateTo: lastDay + 1 }
  const { totals } = await visits.countUniqueVisitors(project.id, range, { limit: 1, offset: 0 })
  return { ...counts, visitors: { ...totals, dateFrom: formatDay(range.dateFrom), dateTo: formatDay(range.dateTo) } }
}

function toCounts({
  lines,
  views,
  verifiedViews,
  newVisitorDays,
  tooOldViews,
  filtered,
  malformed,
  rules,
}: ImportTally): Counts {
  return {
    lines,
    pageViews: views,
    verifiedViews,
    newVisitorDays,
    tooOldViews,
    filtered,
    malformed,
    rules: Object.fromEntries(rules),
  }
}

type Row = [name: string, count: number, text: string]

/** Formats the summary as text. */
export function describe(summary: ImportSummary): string {
  const { lines, seconds, pageViews, filtered, malformed, projects, unknownHosts, files } = summary
  const rules = Object.entries(summary.rules)
  const ofAi = rules.filter(([rule]) => rule.startsWith('ai: ')).map(([rule, count]) => [rule.slice(4), count] as const)
  const ofNeither = rules.filter(([rule]) => !rule.startsWith('ai: ') && rule !== 'browser')
  const perSecond = seconds > 0 ? `, ${showCount(Math.round(lines / seconds))} lines/s` : ''
  const rows: Row[] = [
    ['Lines', lines, `in ${seconds.toFixed(1)} s${perSecond}${nameFormats(files)}`],
    ['Page views', sum(pageViews), showKinds(pageViews)],
    ['  AI', pageViews.ai, list(ofAi)],
    ['  neither', pageViews.neither, list(ofNeither)],
    ...(pageViews.ai > 0
      ? [['  verified', summary.verifiedViews, 'of AI, by addresses that the operators publish'] as Row]
      : []),
    ['Filtered', sum(filtered), list(Object.entries(filtered))],
    ['Malformed', sum(malformed), list(Object.entries(malformed))],
    ...projects.flatMap(project => describeProject(project, projects.length === 1)),
  ]
  if (summary.tooOldViews > 0) {
    rows.push([
      'Too old',
      summary.tooOldViews,
      'page views of days whose visitors or keys were deleted; they are not counted',
    ])
  }
  if (filtered['unknown-host'] > 0) {
    const hosts = `${list(Object.entries(unknownHosts))}. Register one with: npx quire sites create HOST --project ID`
    rows.push(['No site', filtered['unknown-host'], hosts])
  }
  const nameWidth = Math.max(...rows.map(([name]) => name.length)) + 2
  const countWidth = Math.max(...rows.map(([, count]) => showCount(count).length))
  const heads = rows.map(([name, count]) => `${name.padEnd(nameWidth)}${showCount(count).padStart(countWidth)}`)
  return drawPairs(rows.map(([, , text], index) => [heads[index] ?? '', text] as const))
}

/** Names the formats of the files, such as `, format combined in syslog (RFC 3164) lines`. */
function nameFormats(files: readonly Pick<ImportedFile, 'format' | 'envelope'>[]): string {
  const names = files.flatMap(({ format, envelope }) => {
    const title = envelopes.find(({ name }) => name === envelope)?.title
    return format === undefined ? [] : [nameDialect(format, title)]
  })
  const unique = [...new Set(names)]
  return unique.length === 0 ? '' : `, format${unique.length > 1 ? 's' : ''} ${unique.join(', ')}`
}

function describeProject({ project, visitors, newVisitorDays, pageViews }: ProjectCounts, isOnly: boolean): Row[] {
  const ofProject: Row[] = isOnly ? [] : [[project, sum(pageViews), `page views, ${showKinds(pageViews)}`]]
  if (!visitors) return ofProject
  const text = `human ${showCount(visitors.human)}, AI ${showCount(visitors.ai)}; of the project from ${visitors.dateFrom} to ${visitors.dateTo} (exclusive)`
  const indent = isOnly ? '' : '  '
  return [
    ...ofProject,
    [`${indent}Visitors`, visitors.total, text],
    [`${indent}  new`, newVisitorDays, 'new visitors of each day, summed over the days'],
  ]
}

function showKinds({ human, ai, neither }: ImportTally['views']): string {
  return `human ${showCount(human)}, AI ${showCount(ai)}, neither ${showCount(neither)}`
}

/** Lists the largest counts, largest first. */
function list(counts: readonly (readonly [string, number])[]): string {
  const maxListed = 6
  const found = counts.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1])
  const rest = found.slice(maxListed).reduce((total, [, count]) => total + count, 0)
  const shown = found.slice(0, maxListed).map(([name, count]) => `${name} ${showCount(count)}`)
  return [...shown, ...(rest > 0 ? [`others ${showCount(rest)}`] : [])].join(', ')
}
