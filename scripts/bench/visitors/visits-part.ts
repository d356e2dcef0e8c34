import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../../server/commands/command-error.ts'
import { runMeasured } from '../export/measured-run.ts'
import type { BenchData } from '../http/data.ts'
import { median } from '../http/summary.ts'
import { type Answer, type AskedProcess, startAsked } from './asked-process.ts'
import { openDuckDb } from './duckdb.ts'
import type { FillSettings } from './fill-store.ts'
import { type ImportFigures, sizeFolder, toImportFigures } from './import-figures.ts'
import { compareRanges } from './import-part.ts'
import { createPaths } from './pages.ts'
import { endDay, firstDay, type Plan } from './plan.ts'
import { type AnswerPage, countDifferences, expectAnswers, type Question } from './question.ts'
import { chooseWindows, type Length, lengths } from './ranges.ts'
import { Traffic, type TrafficPlan } from './traffic.ts'
import { Truth } from './truth.ts'
import { countsAsAi } from './visit-batches.ts'

/** Medians over different ranges of one length. */
export interface Timing {
  cpuMs: number
  wallMs: number
}

/** DuckDB, each time with the query that took less CPU. */
export interface Beside extends Timing {
  /** How many times as long as we it took for the same question, at the median. */
  cpuRatio: number
  wallRatio: number
}

export interface LengthFigures {
  length: Length
  /** The very first answer of a new process. */
  cold: Timing
  /** Pages 1 to 250, 250 from the middle of all, and the 250 after the first in the same range. */
  first: Timing
  deep: Timing
  next: Timing
  duckDb?: Record<'first' | 'deep', Beside>
}

export interface VisitsPart {
  visits: number
  /** Without those of the same visitor, page and day. */
  distinct: number
  /** CPU of the store alone. */
  fill: ImportFigures & { storeCpuSeconds: number }
  storedBytes: number
  duckDbLoad?: ImportFigures & { storedBytes: number }
  lengths: LengthFigures[]
  /** Of the process that answers. */
  peakBytes: number
  duckDbPeakBytes?: number
  differences: number
  compared: number
}

/** A question about each range, for others to ask, and what is right. */
export interface Exam {
  question: Question
  want: AnswerPage
}

const daySeconds = 86_400
const pageSize = 250
/** DuckDB takes seconds for long ranges. */
const mostPeerRepeats = 3

interface Place {
  data: string
  bench: BenchData
  scratch: string
  say(text: string): void
}

/** Fills the first project of a data folder with visits and asks for them in every way; DuckDB answers in turns with us. */
export async function measureVisits(
  plan: Plan,
  { data, bench, scratch, say }: Place,
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
  say(`Recording ${plan.visits} visits ...`)
  const fill = await fillStore({ data, projectId, plan: traffic }, scratch)
  const storedBytes = sizeFolder(data)
  const truth = learnTruth(traffic)
  say('Comparing ten ranges of them ...')
  const compared = await compareRanges(truth, { data, projectId, pages: plan.pages })

  const questions = lengths.flatMap(length => askFor(length, plan))
  const expected = expectAnswers(
    truth,
    questions.map(({ question }) => question),
  )
  const trials: Trial[] = questions.map((asked, i) => ({
    ...asked,
    want: expected[i] as AnswerPage,
    ours: [],
    theirs: [],
  }))
  const quire = () => startAsked('answer-quire.ts', { data, projectId })
  const cold = await askCold(trials, quire)
  const isCompared = plan.peers.includes('duckdb')
  if (isCompared) say('DuckDB loads them ...')
  const duckDb = isCompared ? await openDuckDb(truth, createPaths(plan.pages), scratch) : undefined
  say('Asking ...')
  const peaks = await askAll(trials, quire(), duckDb?.start() ?? [])
  if (duckDb) await rm(duckDb.file)
  const differences = trials.flatMap(({ ours, theirs, want }) =>
    [...ours, ...theirs].map(({ page }) => countDifferences(page, want)),
  )
  const visits: VisitsPart = {
    visits: plan.visits,
    distinct: truth.countDistinct(),
    fill,
    storedBytes,
    ...(duckDb && { duckDbLoad: duckDb.load, duckDbPeakBytes: peaks.theirs }),
    lengths: lengths.map(length => summarize(length, trials, cold.get(length) as Timing)),
    peakBytes: peaks.ours,
    differences: compared.differences + differences.reduce((sum, count) => sum + count, 0) + cold.differences,
    compared: compared.counts + trials.reduce((sum, { want }) => sum + 3 * (want.pages.length + 1), 0),
  }
  return {
    visits,
    exams: trials.filter(({ place }) => place !== 'next').map(({ question, want }) => ({ question, want })),
  }
}

interface Asked {
  length: Length
  place: 'first' | 'deep' | 'next'
  question: Question
}

interface Trial extends Asked {
  want: AnswerPage
  ours: Answer[]
  /** One for each way to write the query. */
  theirs: Answer[]
}

/** First and deep pages of ranges that are all different, and after each first page the second of the same. */
function askFor(length: Length, { repeats, pages }: Plan): Asked[] {
  const windows = chooseWindows(length, repeats * 2, firstDay, endDay)
  return windows.flatMap((range, i): Asked[] => {
    const question = (offset: number) => ({ range, limit: pageSize, offset })
    if (i % 2 === 1) return [{ length, place: 'deep', question: question(Math.floor(pages / 2)) }]
    return [
      { length, place: 'first', question: question(0) },
      { length, place: 'next', question: question(pageSize) },
    ]
  })
}

async function fillStore(settings: FillSettings, scratch: string): Promise<VisitsPart['fill']> {
  const args = [join(import.meta.dirname, 'fill-store.ts'), JSON.stringify(settings)]
  const logFile = join(scratch, 'fill.log')
  const run = await runMeasured(process.execPath, args, { logFile, timeoutMs: 24 * 3_600_000, folder: scratch })
  if (run.exitCode !== 0) throw new CommandError(`Recording the visits ended with ${run.exitCode}; see ${logFile}`)
  const { cpuSeconds } = JSON.parse(run.stdout)
  return { ...toImportFigures(run, settings.plan.requests), storeCpuSeconds: cpuSeconds }
}

/** The same requests once more, from the same seed. */
function learnTruth(plan: TrafficPlan): Truth {
  const truth = new Truth({ firstDay, paths: createPaths(plan.pages), capacity: plan.requests })
  const traffic = new Traffic(plan)
  while (traffic.next()) {
    truth.add(traffic.visitor, traffic.target, Math.floor(traffic.atSecond / daySeconds), countsAsAi(traffic))
  }
  return truth
}

async function askCold(trials: readonly Trial[], start: () => AskedProcess) {
  const times = new Map<Length, Timing>()
  let differences = 0
  for (const length of lengths) {
    const { question, want } = trials.find(trial => trial.length === length) as Trial
    const process = start()
    const { page, cpuMs, wallMs } = await process.ask(question)
    await process.close()
    times.set(length, { cpuMs, wallMs })
    differences += countDifferences(page, want)
  }
  return { get: (length: Length) => times.get(length), differences }
}

/** Lengths and peers take turns, so that what else the machine does falls on all of them alike. */
async function askAll(
  trials: readonly Trial[],
  quire: AskedProcess,
  peers: readonly AskedProcess[],
): Promise<{ ours: number; theirs: number }> {
  const most = { ours: 0, theirs: 0 }
  try {
    // What a new process costs was measured apart, see `askCold`.
    const warmUp = { range: { from: firstDay, to: endDay }, limit: pageSize, offset: 0 }
    for (const process of [quire, ...peers]) await process.ask(warmUp)
    const ofLength = lengths.map(length => trials.filter(trial => trial.length === length))
    for (let turn = 0; turn < Math.max(...ofLength.map(({ length }) => length)); turn++) {
      for (const trial of ofLength.flatMap(list => list[turn] ?? [])) {
        const answer = await quire.ask(trial.question)
        trial.ours.push(answer)
        most.ours = Math.max(most.ours, answer.peakBytes)
        // Three trials a pair of ranges: first, next, deep.
        if (trial.place === 'next' || turn >= mostPeerRepeats * 3) continue
        for (const process of peers) {
          const theirs = await process.ask(trial.question)
          trial.theirs.push(theirs)
          most.theirs = Math.max(most.theirs, theirs.peakBytes)
        }
      }
    }
    return most
  } finally {
    await quire.close()
    for (const process of peers) await process.close()
  }
}

function summarize(length: Length, trials: readonly Trial[], cold: Timing): LengthFigures {
  const of = (place: Asked['place']) => trials.filter(trial => trial.length === length && trial.place === place)
  const ours = (place: Asked['place']) => toTiming(of(place).flatMap(trial => trial.ours))
  const figures = { length, cold, first: ours('first'), deep: ours('deep'), next: ours('next') }
  if (!trials.some(trial => trial.theirs.length > 0)) return figures
  return { ...figures, duckDb: { first: compare(of('first')), deep: compare(of('deep')) } }
}

function compare(trials: readonly Trial[]): Beside {
  const pairs = trials.flatMap(({ ours: [our], theirs }) => {
    const [fastest] = theirs.toSorted((a, b) => a.cpuMs - b.cpuMs)
    return our && fastest ? [{ our, fastest }] : []
  })
  return {
    ...toTiming(pairs.map(({ fastest }) => fastest)),
    cpuRatio: median(pairs.map(({ our, fastest }) => fastest.cpuMs / our.cpuMs)),
    wallRatio: median(pairs.map(({ our, fastest }) => fastest.wallMs / our.wallMs)),
  }
}

function toTiming(answers: readonly Answer[]): Timing {
  return { cpuMs: median(answers.map(({ cpuMs }) => cpuMs)), wallMs: median(answers.map(({ wallMs }) => wallMs)) }
}
