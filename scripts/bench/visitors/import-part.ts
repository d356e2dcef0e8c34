import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { sizeFolder } from '../export/run-site.ts'
import { createData } from '../http/data.ts'
import { type ImportFigures, runToEnd, toImportFigures } from '../measured-script.ts'
import { type LogTally, writeAccessLog } from './access-log.ts'
import { createPaths } from './pages.ts'
import { endDay, firstDay, type Plan } from './plan.ts'
import { Truth } from './truth.ts'
import { compareRanges } from './visits-part.ts'

export interface ImportPart {
  log: LogTally
  quire: ImportFigures
  /** Size of the data folder after the import. */
  storedBytes: number
  goAccess?: ImportFigures
  /** Number of counts that differ from those of the generator: of all pages in ten ranges, and of the kinds of lines. */
  differences: number
  compared: number
}

const main = resolve(import.meta.dirname, '../../../server/main.ts')

/** Writes a log, imports it into a new data folder, and checks the resulting counts. */
export async function measureImport(
  plan: Plan,
  { log, scratch, onProgress }: { log: string; scratch: string; onProgress(text: string): void },
): Promise<ImportPart> {
  const data = join(scratch, 'imported')
  const { projectIds } = await createData(data, 1)
  const projectId = projectIds[0] as string
  const { seed, pages, lines: requests } = plan
  const paths = createPaths(pages)
  const truth = new Truth({ firstDay, paths, capacity: requests })
  onProgress(`Writing a log of ${requests} lines ...`)
  const tally = writeAccessLog(
    log,
    { seed, requests, pages, from: firstDay, to: endDay, viewsOnly: false },
    paths,
    truth,
  )
  if (plan.withGoAccess) onProgress('Importing with GoAccess ...')
  const goAccess = plan.withGoAccess ? await measureGoAccess(log, tally.lines, scratch) : undefined
  onProgress('Importing with Quire ...')
  const { figures, summary } = await importLog(log, projectId, { data, scratch, lines: tally.lines })
  const storedBytes = sizeFolder(data)
  onProgress('Comparing ten ranges of the log ...')
  const compared = await compareRanges(truth, { data, projectId, pages })
  return {
    log: tally,
    quire: figures,
    storedBytes,
    ...(goAccess && { goAccess }),
    differences: compared.differences + countOtherLines(summary, tally),
    compared: compared.counts,
  }
}

/** Output of `quire visits import --json`. */
interface ImportSummary {
  lines: number
  pageViews: LogTally['views']
  filtered: Record<string, number>
  malformed: Record<string, number>
}

/** Runs the same command as an operator. */
export async function importLog(
  log: string,
  projectId: string,
  { data, scratch, lines }: { data: string; scratch: string; lines: number },
): Promise<{ figures: ImportFigures; summary: ImportSummary }> {
  const args = [main, 'visits', 'import', log, '--project', projectId, '--data', data, '--json']
  const run = await runToEnd(process.execPath, args, { logFile: join(scratch, 'import.log'), folder: scratch })
  return { figures: toImportFigures(run, lines), summary: JSON.parse(run.stdout) }
}

/** Runs GoAccess on a log with a JSON report, with default settings and without GeoIP. */
async function measureGoAccess(log: string, lines: number, scratch: string): Promise<ImportFigures> {
  const output = join(scratch, 'goaccess.json')
  const args = [log, '--log-format=COMBINED', '--no-global-config', '--no-progress', '-o', output]
  const run = await runToEnd('goaccess', args, { logFile: join(scratch, 'goaccess.log'), folder: scratch })
  // GoAccess would look fast if it skipped lines.
  const { general } = JSON.parse(await readFile(output, 'utf8'))
  await rm(output)
  const read = general.valid_requests + general.failed_requests
  if (read < lines * 0.99) throw new OperatorError(`GoAccess read ${read} of ${lines} lines.`)
  return toImportFigures(run, lines)
}

function countOtherLines({ lines, pageViews, filtered, malformed }: ImportSummary, want: LogTally): number {
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)
  const pairs = [
    [lines, want.lines],
    [pageViews.human, want.views.human],
    [pageViews.ai, want.views.ai],
    [pageViews.neither, want.views.neither],
    [sum(filtered), want.filtered],
    [sum(malformed), want.malformed],
  ]
  return pairs.filter(([got, expected]) => got !== expected).length
}
