import { Command, Option } from 'commander'
import { formatDay } from '../analytics/day.ts'
import { type ImportProgress, importAccessLog } from '../analytics/import/import-log.ts'
import { emptyTally, type ImportTally, sum } from '../analytics/import/import-tally.ts'
import { checkLogFile, LogFileError } from '../analytics/import/log-file.ts'
import { type VisitorCounts, VisitorKeyError } from '../analytics/unique-visitors.ts'
import type { Store } from '../store/store.ts'
import type { Project } from '../tenancy/project.ts'
import { CommandError } from './command-error.ts'
import { dataOption, jsonOption } from './options.ts'
import { printJson } from './print.ts'
import { withStore } from './with-store.ts'

export function visitsImportCommand(): Command {
  return new Command('import')
    .argument('<files...>')
    .description('count the visits in combined access logs (nginx, Apache), plain or .gz; - reads standard input')
    .addOption(new Option('--project <id>', 'project that was visited').env('QUIRE_PROJECT').makeOptionMandatory())
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  quire visits import /var/log/nginx/access.log --project prj_0f3c9a1b2d4e5f60
  quire visits import /var/log/nginx/access.log* --project prj_0f3c9a1b2d4e5f60 --json
  ssh web cat /var/log/nginx/access.log | quire visits import - --project prj_0f3c9a1b2d4e5f60

A page view is a GET of a page with 2xx or 304. A visitor is a keyed hash of address and user agent; neither is stored.
Importing a log again, or one that has grown since, counts nothing twice. Malformed lines are counted and skipped.`,
    )
    .action(async (files: string[], flags: { project: string; data: string; json?: boolean }) => {
      const summary = await withStore(flags.data, store => importFiles(store, flags.project, files))
      if (flags.json) printJson(summary)
      else console.log(describe(summary))
      if (summary.incomplete.length > 0) {
        throw new CommandError(
          `${summary.incomplete.join('\n')}\nWhat came before is imported. Import the whole file when you have it: nothing counts twice.`,
        )
      }
    })
}

/** What `--json` prints. */
interface ImportSummary {
  project: string
  seconds: number
  lines: number
  pageViews: { human: number; ai: number; neither: number }
  /** Visitors of the project on the days of this import, `dateTo` exclusive, earlier imports included; null when it has no visits. */
  visitors: (VisitorCounts & { dateFrom: string; dateTo: string }) | null
  newVisitorDays: number
  filtered: ImportTally['filtered']
  malformed: ImportTally['malformed']
  /** Page views by the rule that told who made them, most first. */
  rules: Record<string, number>
  /** A sentence for each file that could not be read to its end. */
  incomplete: string[]
}

async function importFiles(store: Store, projectId: string, files: string[]): Promise<ImportSummary> {
  if (files.filter(file => file === '-').length > 1) throw new CommandError('- may be given once only.', 2)
  const project = await store.projects.find(projectId)
  if (!project) throw new CommandError(`There is no project ${projectId}. See: quire projects list`)
  const tally = emptyTally()
  const incomplete: string[] = []
  const startedAt = performance.now()
  try {
    // All before the first: a misspelt name should not leave half a job.
    for (const file of files) await checkLogFile(file)
  } catch (error) {
    throw explain(error)
  }
  for (const file of files) {
    const progress = createProgressLine(file)
    try {
      await importAccessLog({ file, project, visits: store.visits, tally, onProgress: progress.show })
    } catch (error) {
      if (!(error instanceof LogFileError)) throw explain(error)
      incomplete.push(error.message)
    } finally {
      progress.clear()
    }
  }
  return {
    project: project.id,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    lines: tally.lines,
    pageViews: tally.views,
    visitors: await countVisitors(store, project, tally),
    newVisitorDays: tally.newVisitorDays,
    filtered: tally.filtered,
    malformed: tally.malformed,
    rules: Object.fromEntries([...tally.rules].sort((a, b) => b[1] - a[1])),
    incomplete,
  }
}

async function countVisitors(store: Store, project: Project, { firstDay, lastDay }: ImportTally) {
  if (firstDay === undefined || lastDay === undefined) return null
  const range = { dateFrom: firstDay, dateTo: lastDay + 1 }
  const { totals } = await store.visits.countUniqueVisitors(project.id, range, { limit: 1, offset: 0 })
  return { ...totals, dateFrom: formatDay(range.dateFrom), dateTo: formatDay(range.dateTo) }
}

function explain(error: unknown): unknown {
  if (error instanceof LogFileError || error instanceof VisitorKeyError) return new CommandError(error.message)
  const { code, message } = error as NodeJS.ErrnoException
  if (!code?.startsWith('SQLITE_')) return error
  return new CommandError(
    `The database does not take the visits: ${message} (${code}). What was imported stays; when that is mended, import again: nothing counts twice.`,
  )
}

function describe(summary: ImportSummary): string {
  const { lines, seconds, pageViews, visitors, filtered, malformed } = summary
  const rules = Object.entries(summary.rules)
  const ofAi = rules.filter(([rule]) => rule.startsWith('ai: ')).map(([rule, count]) => [rule.slice(4), count] as const)
  const ofNeither = rules.filter(([rule]) => !rule.startsWith('ai: ') && rule !== 'browser')
  const rows: [string, number, string][] = [
    ['Lines', lines, `in ${seconds.toFixed(1)} s`],
    [
      'Page views',
      sum(pageViews),
      `human ${show(pageViews.human)}, AI ${show(pageViews.ai)}, neither ${show(pageViews.neither)}`,
    ],
    ['  AI', pageViews.ai, list(ofAi)],
    ['  neither', pageViews.neither, list(ofNeither)],
    ['Filtered', sum({ ...filtered }), list(Object.entries(filtered))],
    ['Malformed', sum({ ...malformed }), list(Object.entries(malformed))],
  ]
  if (visitors) {
    const text = `human ${show(visitors.human)}, AI ${show(visitors.ai)}; of the project from ${visitors.dateFrom} up to, not on, ${visitors.dateTo}`
    rows.push(['Visitors', visitors.total, text])
    rows.push(['  new', summary.newVisitorDays, 'not seen before on a day, summed over the days'])
  }
  const width = Math.max(...rows.map(([, count]) => show(count).length))
  const table = rows.map(([name, count, text]) => `${name.padEnd(12)}${show(count).padStart(width)}  ${text}`.trimEnd())
  if (lines > 0 && malformed['not-combined'] === lines) {
    table.push(
      'No line is in combined format: address identity user [date] "request" status size "referrer" "user agent"',
    )
  }
  return table.join('\n')
}

/** The largest counts, most first. */
function list(counts: readonly (readonly [string, number])[]): string {
  const most = 6
  const found = counts.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1])
  const rest = found.slice(most).reduce((total, [, count]) => total + count, 0)
  const shown = found.slice(0, most).map(([name, count]) => `${name} ${show(count)}`)
  return [...shown, ...(rest > 0 ? [`others ${show(rest)}`] : [])].join(', ')
}

function show(count: number): string {
  return count.toLocaleString('en-US')
}

const progressEveryMs = 200

/** A line on standard error that says how far one file is; silent unless that is a terminal. */
function createProgressLine(file: string): { show(progress: ImportProgress): void; clear(): void } {
  const startedAt = performance.now()
  let linesBefore: number | undefined
  let nextAt = startedAt + progressEveryMs
  if (!process.stderr.isTTY) return { show() {}, clear() {} }
  return {
    show({ lines, readBytes, sizeBytes }) {
      linesBefore ??= lines
      const now = performance.now()
      if (now < nextAt) return
      nextAt = now + progressEveryMs
      const elapsedSeconds = (now - startedAt) / 1000
      const perSecond = show(Math.round((lines - linesBefore) / elapsedSeconds))
      const left = sizeBytes && readBytes > 0 ? Math.ceil(((sizeBytes - readBytes) / readBytes) * elapsedSeconds) : 0
      const ofSize = sizeBytes ? ` of ${toMegabytes(sizeBytes)}, ${Math.max(left, 0)} s left` : ''
      process.stderr.write(
        `\r\x1b[K${file}: ${show(lines - linesBefore)} lines, ${perSecond} lines/s, ${toMegabytes(readBytes)}${ofSize}`,
      )
    },
    clear() {
      process.stderr.write('\r\x1b[K')
    },
  }
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
