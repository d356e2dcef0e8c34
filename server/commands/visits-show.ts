import { Command } from 'commander'
import { readCompared } from '../analytics/report/compare.ts'
import { filterReader } from '../analytics/report/filter-reader.ts'
import { buildFilteredReport, isFiltered } from '../analytics/report/filter-report.ts'
import { choosePeriodLength, periodLengths } from '../analytics/report/periods.ts'
import type { Cell, Rows } from '../analytics/report/rows.ts'
import { openFilteredTable, type Table, tableNames } from '../analytics/report/tables.ts'
import { OperatorError } from '../base/operator-error.ts'
import { rangeSettings, readRange } from '../flags/range-settings.ts'
import { readComparedRange, readFilter, reportSettings } from '../flags/report-settings.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { shared, storeSettings } from '../flags/shared-settings.ts'
import { getProject } from '../tenancy/get-project.ts'
import { usualCounting } from '../tenancy/project.ts'
import { printJson } from './print.ts'
import { outputWidth } from './table.ts'
import { printTable } from './table-text.ts'
import { drawReport } from './visits-show-text.ts'
import { withExistingStore } from './with-store.ts'

const usualLimit = 10

/** For the commands that print one table. */
export const tableSetting = {
  flag: '--table <name>',
  what: 'table to print (default: pages)',
  choices: tableNames,
} as const

const settings = {
  project: { ...shared.project, what: 'project of the visitors (default: the only one)' },
  ...rangeSettings,
  ...reportSettings,
  by: {
    flag: '--by <period>',
    what: 'length of the periods of the series (default: by the range)',
    choices: periodLengths,
  },
  limit: {
    flag: '--limit <number>',
    what: `rows of each list (default: ${usualLimit}; all with --json and --csv)`,
    read: integer(1, 10_000_000),
  },
  csv: { flag: '--csv', what: 'print one table as CSV', conflicts: ['json'] },
  table: tableSetting,
  ...storeSettings,
} as const satisfies Settings

type Flags = FlagsOf<typeof settings>

export function visitsShowCommand(): Command {
  const command = new Command('show').description(
    'show the visitors of a project: totals, days, pages, AI agents, Markdown, pages not found, referrals',
  )
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits show --project Documentation
  npx quire visits show --project Documentation --last-days 7 --limit 25
  npx quire visits show --project Documentation --from 2026-01-01 --to 2027-01-01 --by month
  npx quire visits show --project Documentation --csv --table agents --by day
  npx quire visits show --project Documentation --json

Who reads one page? What does one assistant read, and whom does it send? All numbers are those of the filter:
  npx quire visits show --project Documentation --last-days 28 --page /guides/install
  npx quire visits show --project Documentation --last-days 28 --assistant ChatGPT --compare previous

Which pages did assistants not find in October? See PAGE NOT FOUND:
  npx quire visits show --project Documentation --from 2026-10-01 --to 2026-11-01 --class assistant

Did the release of November 10 bring readers? See People, BEFORE and CHANGE; --path /new-feature for its pages:
  npx quire visits show --project Documentation --from 2026-11-10 --to 2026-11-24 --compare previous

Who reads our Markdown? See READ AS for people and AI, and READ for each agent; as CSV:
  npx quire visits show --project Documentation --csv --table readers --last-days 28

How much of the site did each agent read, and what came of it? See PAGES, and PAGE AND AI ASSISTANT; as CSV:
  npx quire visits show --project Documentation --csv --table coverage --last-days 28
  npx quire visits show --project Documentation --csv --table assistant-pages --last-days 28

All counts are unique visitors of the range, also those of pages, agents and files. --to is exclusive, as in the API. With
--csv, --by gives each period its own rows. For files, use npx quire visits export.`,
    )
    .action(show)
}

async function show(flags: Flags): Promise<void> {
  if (flags.table !== undefined && !flags.csv) {
    throw new OperatorError('--table needs --csv. Without it, all tables are shown.', 2)
  }
  const range = readRange(flags, Date.now())
  await withExistingStore(flags, async store => {
    const { id: projectId, name, visitorRules, counting = usualCounting } = await getProject(store, flags.project)
    const { limit = Number.POSITIVE_INFINITY, by } = flags
    const filter = readFilter(flags)
    const comparedBy = { compare: flags.compare, by: flags.csv ? by : undefined }
    const compared = await readComparedRange(comparedBy, range, store.visits, projectId)
    if (flags.csv) {
      const options = { projectId, range, table: flags.table ?? 'pages', by, filter, compared }
      const table = await openFilteredTable(store.visits, options)
      await printTable(cutRows(table, limit), 'csv')
      return
    }
    const shownLimit = flags.limit ?? (flags.json ? limit : usualLimit)
    const options = { projectId, range, by, limit: shownLimit, choosePeriodLength, filter }
    const report = await buildFilteredReport(store.visits, options)
    const comparison = flags.compare && { projectId, range, comparison: flags.compare, pages: report.pages }
    const shown = {
      project: projectId,
      name,
      visitorRules,
      counting,
      ...report,
      ...(isFiltered(filter) && { filter }),
      ...(comparison && { compared: await readCompared(filterReader(store.visits, filter), comparison) }),
    }
    if (flags.json) printJson(shown)
    else console.log(drawReport(shown, { width: outputWidth(), limit: shownLimit }))
  })
}

function cutRows({ columns, parts }: Table, limit: number): Table {
  return { columns, parts: takeFirst(parts, limit) }
}

async function* takeFirst(parts: Table['parts'], limit: number): AsyncGenerator<Rows> {
  let left = limit
  function* take(rows: Rows): Generator<readonly Cell[]> {
    for (const row of rows) {
      if (left <= 0) return
      left -= 1
      yield row
    }
  }
  for await (const rows of parts) {
    yield take(rows)
    if (left <= 0) return
  }
}
