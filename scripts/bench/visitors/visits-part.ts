import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runMeasured } from '../export/measured-run.ts'
import type { BenchData } from '../http/data.ts'
import { startAsked } from './asked-process.ts'
import { compareRanges } from './compare-ranges.ts'
import { openDuckDb } from './duckdb.ts'
import type { FillSettings } from './fill-store.ts'
import { explainEnd, type ImportFigures, sizeFolder, toImportFigures } from './import-figures.ts'
import { createPaths } from './pages.ts'
import { endDay, firstDay, type Plan } from './plan.ts'
import type { AnswerPage, Question } from './question.ts'
import { lengths } from './ranges.ts'
import { askAll, askCold, countWrong, type LengthFigures, prepareTrials, summarize, type Timing } from './trials.ts'
import { learnTruth } from './visit-batches.ts'

export interface VisitsPart {
  visits: number
  /** Distinct by visitor, page and day. */
  distinct: number
  /** CPU time of the store alone. */
  fill: ImportFigures & { storeCpuSeconds: number }
  storedBytes: number
  duckDbLoad?: ImportFigures & { storedBytes: number }
  lengths: LengthFigures[]
  /** Peak memory of the answering process. */
  peakBytes: number
  duckDbPeakBytes?: number
  differences: number
  compared: number
}

/** A question with its correct answer, also used by other parts. */
export interface Exam {
  question: Question
  want: AnswerPage
}

interface Place {
  data: string
  bench: BenchData
  scratch: string
  onProgress(text: string): void
}

/** Fills the first project of a data folder with visits and queries them in all ways, alternating with DuckDB. */
export async function measureVisits(
  plan: Plan,
  { data, bench, scratch, onProgress }: Place,
): Promise<{ visits: VisitsPart; exams: Exam[] }> {
  const projectId = bench.projectIds[0] as string
  const traffic = {
    seed: plan.seed,
    requests: plan.visits,
    pages: plan.pages,
    from: firstDay,
    to: endDay,
    viewsOnly: true,
  }
  onProgress(`Recording ${plan.visits} visits ...`)
  const fill = await fillStore({ data, projectId, plan: traffic }, scratch)
  const storedBytes = sizeFolder(data)
  const truth = learnTruth(traffic)
  onProgress('Comparing ten ranges of the visits ...')
  const compared = await compareRanges(truth, { data, projectId, pages: plan.pages })

  const trials = prepareTrials(truth, plan)
  const quire = () => startAsked('answer-quire.ts', { data, projectId })
  const cold = await askCold(trials, quire)
  const isCompared = plan.peers.includes('duckdb')
  if (isCompared) onProgress('Loading the visits into DuckDB ...')
  const duckDb = isCompared ? await openDuckDb(truth, createPaths(plan.pages), scratch) : undefined
  onProgress('Measuring queries ...')
  const peaks = await askAll(trials, quire(), duckDb?.start() ?? [])
  if (duckDb) await rm(duckDb.file)
  const visits: VisitsPart = {
    visits: plan.visits,
    distinct: truth.countDistinct(),
    fill,
    storedBytes,
    ...(duckDb && { duckDbLoad: duckDb.load, duckDbPeakBytes: peaks.theirs }),
    lengths: lengths.map(length => summarize(length, trials, cold.times.get(length) as Timing)),
    peakBytes: peaks.ours,
    differences: compared.differences + countWrong(trials) + cold.differences,
    compared: compared.counts + trials.reduce((sum, { want }) => sum + 3 * (want.pages.length + 1), 0),
  }
  return {
    visits,
    exams: trials.filter(({ place }) => place !== 'next').map(({ question, want }) => ({ question, want })),
  }
}

async function fillStore(settings: FillSettings, scratch: string): Promise<VisitsPart['fill']> {
  const args = [join(import.meta.dirname, 'fill-store.ts'), JSON.stringify(settings)]
  const logFile = join(scratch, 'fill.log')
  const run = await runMeasured(process.execPath, args, { logFile, timeoutMs: 24 * 3_600_000, folder: scratch })
  if (run.exitCode !== 0) throw await explainEnd('fill-store.ts', run, logFile)
  const { cpuSeconds } = JSON.parse(run.stdout)
  return { ...toImportFigures(run, settings.plan.requests), storeCpuSeconds: cpuSeconds }
}
