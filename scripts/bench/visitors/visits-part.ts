import { join } from 'node:path'
import { openStore } from '../../../server/store/store.ts'
import { sizeFolder } from '../export/run-site.ts'
import { type ImportFigures, runToEnd, toImportFigures } from '../measured-script.ts'
import type { FillSettings } from './fill-store.ts'
import { endDay, firstDay, type Plan } from './plan.ts'
import { type AnswerPage, countDifferences, expectAnswers, type Question } from './question.ts'
import { chooseRanges, chooseWindows, type Length, lengths } from './ranges.ts'
import type { Truth } from './truth.ts'
import { learnTruth } from './visit-batches.ts'

export interface VisitsPart {
  visits: number
  /** Distinct by visitor, page and day. */
  distinct: number
  /** CPU time of the store alone. */
  fill: ImportFigures & { storeCpuSeconds: number }
  storedBytes: number
  differences: number
  compared: number
}

/** A question with its correct answer. */
export interface Exam {
  length: Length
  question: Question
  want: AnswerPage
}

const pageSize = 250

/** Fills a project of a data folder with visits and compares counts. Returns questions for the server, too. */
export async function measureVisits(
  { seed, visits, pages, repeats }: Plan,
  {
    data,
    projectId,
    scratch,
    onProgress,
  }: {
    data: string
    projectId: string
    scratch: string
    onProgress(text: string): void
  },
): Promise<{ visits: VisitsPart; exams: Exam[] }> {
  const traffic = { seed, requests: visits, pages, from: firstDay, to: endDay, viewsOnly: true }
  onProgress(`Recording ${visits} visits ...`)
  const fill = await fillStore({ data, projectId, plan: traffic }, scratch)
  const truth = learnTruth(traffic)
  onProgress('Comparing ten ranges of the visits ...')
  const { differences, counts: compared } = await compareRanges(truth, { data, projectId, pages })
  const distinct = truth.countDistinct()
  return {
    visits: { visits, distinct, fill, storedBytes: sizeFolder(data), differences, compared },
    exams: makeExams(truth, repeats, pages),
  }
}

/** Records the visits of a plan in a process of its own. */
export async function fillStore(settings: FillSettings, scratch: string): Promise<VisitsPart['fill']> {
  const args = [join(import.meta.dirname, 'fill-store.ts'), JSON.stringify(settings)]
  const run = await runToEnd(process.execPath, args, { logFile: join(scratch, 'fill.log'), folder: scratch })
  const { cpuSeconds } = JSON.parse(run.stdout)
  return { ...toImportFigures(run, settings.plan.requests), storeCpuSeconds: cpuSeconds }
}

/** Compares the counts of every page in ten ranges, with one query for all pages and with queries at two offsets. */
export async function compareRanges(
  truth: Truth,
  { data, projectId, pages }: { data: string; projectId: string; pages: number },
): Promise<{ differences: number; counts: number }> {
  const questions: Question[] = chooseRanges(firstDay, endDay).flatMap(range => [
    { range, limit: pages + 1, offset: 0 },
    { range, limit: 50, offset: Math.floor(pages / 3) },
    { range, limit: pageSize, offset: pages - 100 },
  ])
  const store = openStore(data)
  try {
    let [differences, counts] = [0, 0]
    for (const [i, want] of expectAnswers(truth, questions).entries()) {
      const { range, ...page } = questions[i] as Question
      const days = { dateFrom: range.from, dateTo: range.to }
      const { totals, visitors, hasMore } = await store.visits.countUniqueVisitors(projectId, days, page)
      const got: AnswerPage = {
        site: [totals.human, totals.ai, totals.total],
        pages: visitors.map(({ path, human, ai, total }) => ({ path, counts: [human, ai, total] })),
        hasMore,
      }
      differences += countDifferences(got, want)
      counts += 3 * (want.pages.length + 1)
    }
    return { differences, counts }
  } finally {
    await store.close()
  }
}

/** Makes questions for the first and for deep pages of different ranges, with the lengths in turn. */
function makeExams(truth: Truth, repeats: number, pages: number): Exam[] {
  const windows = lengths.map(length => chooseWindows(length, repeats * 2, firstDay, endDay))
  const asked = Array.from({ length: repeats * 2 }, (_, i) =>
    lengths.map((length, at) => {
      const offset = i % 2 === 1 ? Math.floor(pages / 2) : 0
      const range = windows[at]?.[i] ?? { from: firstDay, to: endDay }
      return { length, question: { range, limit: pageSize, offset } }
    }),
  ).flat()
  const expected = expectAnswers(
    truth,
    asked.map(({ question }) => question),
  )
  return asked.map((each, i) => ({ ...each, want: expected[i] as AnswerPage }))
}
