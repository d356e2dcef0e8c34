import { join, resolve } from 'node:path'
import { runMeasured } from '../export/measured-run.ts'
import type { BenchData } from '../http/data.ts'
import { type LogTally, writeAccessLog } from './access-log.ts'
import { compareRanges } from './compare-ranges.ts'
import { measureGoAccess } from './goaccess.ts'
import { explainEnd, type ImportFigures, sizeFolder, toImportFigures } from './import-figures.ts'
import { createPaths } from './pages.ts'
import { endDay, firstDay, type Plan } from './plan.ts'
import { Truth } from './truth.ts'

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

/** Writes a log, imports it into the first project of a data folder, and checks the resulting counts. */
export async function measureImport(
  plan: Plan,
  {
    data,
    bench,
    log,
    scratch,
    onProgress,
  }: { data: string; bench: BenchData; log: string; scratch: string; onProgress(text: string): void },
): Promise<ImportPart> {
  const paths = createPaths(plan.pages)
  const truth = new Truth({ firstDay, paths, capacity: plan.lines })
  onProgress(`Writing a log of ${plan.lines} lines ...`)
  const traffic = {
    seed: plan.seed,
    requests: plan.lines,
    pages: plan.pages,
    from: firstDay,
    to: endDay,
    viewsOnly: false,
  }
  const tally = writeAccessLog(log, traffic, paths, truth)
  const isCompared = plan.peers.includes('goaccess')
  if (isCompared) onProgress('Importing with GoAccess ...')
  const goAccess = isCompared ? await measureGoAccess(log, tally.lines, scratch) : undefined
  onProgress('Importing with Quire ...')
  const projectId = bench.projectIds[0] as string
  const { figures, summary } = await importLog(log, projectId, { data, scratch, lines: tally.lines })
  const storedBytes = sizeFolder(data)
  onProgress('Comparing ten ranges of the log ...')
  const compared = await compareRanges(truth, { data, projectId, pages: plan.pages })
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
  const logFile = join(scratch, 'import.log')
  const run = await runMeasured(process.execPath, args, { logFile, timeoutMs: 24 * 3_600_000, folder: scratch })
  if (run.exitCode !== 0) throw await explainEnd('quire visits import', run, logFile)
  return { figures: toImportFigures(run, lines), summary: JSON.parse(run.stdout) }
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
