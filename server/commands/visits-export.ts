import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { periodLengths } from '../analytics/report/periods.ts'
import type { Cell, Rows } from '../analytics/report/rows.ts'
import { openFilteredTable, type Table } from '../analytics/report/tables.ts'
import { OperatorError } from '../base/operator-error.ts'
import { rangeSettings, readRange } from '../flags/range-settings.ts'
import { readComparedRange, readFilter, reportSettings } from '../flags/report-settings.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { shared, storeSettings } from '../flags/shared-settings.ts'
import { getProject } from '../tenancy/get-project.ts'
import { resolveOutput } from './output-file.ts'
import { printResult, showCountOf } from './print.ts'
import { printTable, tableFormats, writeTable } from './table-text.ts'
import { tableSetting } from './visits-show.ts'
import { withExistingStore } from './with-store.ts'

const standardOutput = '-'
const settings = {
  project: { ...shared.project, what: 'project of the visitors (default: the only one)' },
  ...rangeSettings,
  ...reportSettings,
  by: {
    flag: '--by <period>',
    what: 'give each day, week or month its own rows (default: one range)',
    choices: periodLengths,
  },
  table: { ...tableSetting, default: 'pages' },
  format: { flag: '--format <name>', what: 'format of the file', choices: tableFormats, default: 'csv' },
  output: { flag: '-o, --output <file>', what: 'file to write; "-" is standard output', default: standardOutput },
  ...storeSettings,
} as const satisfies Settings

type Flags = FlagsOf<typeof settings>

export function visitsExportCommand(): Command {
  const command = new Command('export').description('write the visitors of a project to a file for a spreadsheet')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits export --project Documentation --output pages.csv
  npx quire visits export --project Documentation --table days --last-days 90 -o days.csv
  npx quire visits export --project Documentation --table agents --by month --from 2026-01-01 -o agents.csv
  npx quire visits export --project Documentation --table failed-from --class assistant -o failed.csv
  npx quire visits export --project Documentation --compare previous --last-days 28 -o change.csv
  npx quire visits export --project Documentation --table referral-pages --by day --format json > referrals.json

The tables:
  totals, days, weeks, months        people, AI, both, and the total, each visitor once
  pages, unread                      every page with its visitors; the pages that people read and no AI
  agents, uses                       AI agents by name, and by use: assistant, search, training, coding
  coverage                           how many of the pages with visitors each AI agent read
  neither                            programs that are neither people nor AI, by the rule that classified them
  files, readers                     Markdown views and llms.txt, by kind of visitor, and by AI agent
  referrals, referral-pages          people who came from an AI assistant, in all and by page
  assistant-pages                    by page: visitors of an assistant that read it, and people who came from the assistant
  failed, failed-from                pages that were missing (404, 410) or broken (5xx); by agent, and by site of the referrer

The file is UTF-8 with commas, dates such as 2026-11-20, and a heading per column (RFC 4180). dateTo is exclusive. With --by,
a visitor counts once in each period, so the periods add up to more than the range. --json prints a summary of the file.`,
    )
    .action(exportTable)
}

async function exportTable(flags: Flags): Promise<void> {
  const { output, format, json } = flags
  const isFile = output !== standardOutput
  if (json && !isFile) {
    throw new OperatorError(
      '--json prints a summary of the file that --output names. For JSON data, use --format json.',
      2,
    )
  }
  const range = readRange(flags, Date.now())
  const file = isFile ? await resolveOutput(output, 'pages.csv') : undefined
  await withExistingStore(flags, async store => {
    const { id: projectId } = await getProject(store, flags.project)
    const { table, counted } = countRows(
      await openFilteredTable(store.visits, {
        projectId,
        range,
        table: flags.table,
        by: flags.by,
        filter: readFilter(flags),
        compared: await readComparedRange(flags, range, store.visits, projectId),
      }),
    )
    if (file === undefined) {
      await printTable(table, format)
      return
    }
    await writeFile(file, writeTable(table, format))
    const result = { project: projectId, file, table: flags.table, rows: counted.rows }
    printResult(json, result, `Wrote ${showCountOf(counted.rows, 'row')} to ${output}.`)
  })
}

function countRows({ columns, parts }: Table): { table: Table; counted: { rows: number } } {
  const counted = { rows: 0 }
  function* countEach(rows: Rows): Generator<readonly Cell[]> {
    for (const row of rows) {
      counted.rows++
      yield row
    }
  }
  async function* count(): AsyncGenerator<Rows> {
    for await (const rows of parts) yield countEach(rows)
  }
  return { table: { columns, parts: count() }, counted }
}

/** Replaces the file when the new one is complete. */
async function writeFile(file: string, texts: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`
  try {
    // A file that a killed export left, or a symbolic link.
    await rm(part, { force: true })
    await pipeline(Readable.from(texts), createWriteStream(part, { flags: 'wx' }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error instanceof Error && 'syscall' in error ? new OperatorError(error.message) : error
  }
}
