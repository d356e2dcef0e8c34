import { median } from '../http/summary.ts'
import type { Answer, AskedProcess } from './asked-process.ts'
import { endDay, firstDay } from './plan.ts'
import { type AnswerPage, countDifferences, expectAnswers, type Question } from './question.ts'
import { chooseWindows, type Length, lengths } from './ranges.ts'
import type { Truth } from './truth.ts'

/** Medians over different ranges of one length. */
export interface Timing {
  cpuMs: number
  wallMs: number
}

/** Medians of DuckDB. For each question, the variant of the query with less CPU time counts. */
export interface Beside extends Timing {
  /** Median ratio of the time of DuckDB to the time of Quire for the same question. */
  cpuRatio: number
  wallRatio: number
}

/** Times of ranges of one length, by requested page. */
export interface LengthFigures {
  length: Length
  /** The first answer of a new process. */
  cold: Timing
  /** The first 250 pages, 250 pages from the middle of the list, and the 250 pages after the first 250 in the same range. */
  first: Timing
  deep: Timing
  next: Timing
  duckDb?: Record<'first' | 'deep', Beside>
}

interface Asked {
  length: Length
  place: 'first' | 'deep' | 'next'
  question: Question
}

export interface Trial extends Asked {
  want: AnswerPage
  ours: Answer[]
  /** One for each variant of the query. */
  theirs: Answer[]
}

const pageSize = 250
/** Max questions of each kind for DuckDB, which takes seconds for long ranges. */
const maxPeerRepeats = 3

/** Creates all questions with their correct answers, `repeats` for each range length and page. */
export function prepareTrials(truth: Truth, { repeats, pages }: { repeats: number; pages: number }): Trial[] {
  const asked = lengths.flatMap(length => askFor(length, repeats, pages))
  const expected = expectAnswers(
    truth,
    asked.map(({ question }) => question),
  )
  return asked.map((one, i) => ({ ...one, want: expected[i] as AnswerPage, ours: [], theirs: [] }))
}

/** Asks for first and deep pages of different ranges, and after each first page for the next page of the same range. */
function askFor(length: Length, repeats: number, pages: number): Asked[] {
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

/** Asks a new process one question of each length. */
export async function askCold(
  trials: readonly Trial[],
  start: () => AskedProcess,
): Promise<{ times: ReadonlyMap<Length, Timing>; differences: number }> {
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
  return { times, differences }
}

/** Alternates lengths and peers, so that other work on the machine affects all of them equally. */
export async function askAll(
  trials: readonly Trial[],
  quire: AskedProcess,
  peers: readonly AskedProcess[],
): Promise<{ ours: number; theirs: number }> {
  const most = { ours: 0, theirs: 0 }
  try {
    // `askCold` measures the first answer of a new process.
    const warmUp = { range: { from: firstDay, to: endDay }, limit: pageSize, offset: 0 }
    for (const process of [quire, ...peers]) await process.ask(warmUp)
    const ofLength = lengths.map(length => trials.filter(trial => trial.length === length))
    for (let turn = 0; turn < Math.max(...ofLength.map(({ length }) => length)); turn++) {
      for (const trial of ofLength.flatMap(list => list[turn] ?? [])) {
        const answer = await quire.ask(trial.question)
        trial.ours.push(answer)
        most.ours = Math.max(most.ours, answer.peakBytes)
        // Three trials per pair of ranges: first, next, deep.
        if (trial.place === 'next' || turn >= maxPeerRepeats * 3) continue
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

/** Counts how many answers of Quire and DuckDB differ from the correct ones. */
export function countWrong(trials: readonly Trial[]): number {
  return trials
    .flatMap(({ ours, theirs, want }) => [...ours, ...theirs].map(({ page }) => countDifferences(page, want)))
    .reduce((sum, count) => sum + count, 0)
}

/** Returns the medians of all trials of a length. */
export function summarize(length: Length, trials: readonly Trial[], cold: Timing): LengthFigures {
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
