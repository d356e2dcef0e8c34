import { startAsked } from './asked-process.ts'
import { endDay, firstDay } from './plan.ts'
import { countDifferences, expectAnswers, type Question } from './question.ts'
import { chooseRanges } from './ranges.ts'
import type { Truth } from './truth.ts'

/** Compares the counts of every page in ten ranges, with one query for all pages and with queries at two offsets. */
export async function compareRanges(
  truth: Truth,
  { data, projectId, pages }: { data: string; projectId: string; pages: number },
): Promise<{ differences: number; counts: number }> {
  const questions: Question[] = chooseRanges(firstDay, endDay).flatMap(range => [
    { range, limit: pages + 1, offset: 0 },
    { range, limit: 50, offset: Math.floor(pages / 3) },
    { range, limit: 250, offset: pages - 100 },
  ])
  const expected = expectAnswers(truth, questions)
  const quire = startAsked('answer-quire.ts', { data, projectId })
  try {
    let [differences, counts] = [0, 0]
    for (const [i, want] of expected.entries()) {
      const { page } = await quire.ask(questions[i] as Question)
      differences += countDifferences(page, want)
      counts += 3 * (want.pages.length + 1)
    }
    return { differences, counts }
  } finally {
    await quire.close()
  }
}
