import type { Counts, Range, RangeTruth, Truth } from './truth.ts'

/** A query for unique visitors in a range. */
export interface Question {
  range: Range
  limit: number
  offset: number
}

/** The answer to a question: the counts of the whole site and of the requested pages. */
export interface AnswerPage {
  site: Counts
  pages: { path: string; counts: Counts }[]
  hasMore: boolean
}

/** Yields the correct answers. Counts a few ranges at a time, to limit memory. */
export function expectAnswers(truth: Truth, questions: readonly Question[]): AnswerPage[] {
  const some = 10
  return Array.from({ length: Math.ceil(questions.length / some) }, (_, part) => {
    const asked = questions.slice(part * some, (part + 1) * some)
    const counted = truth.count(asked.map(({ range }) => range))
    return asked.map((question, i) => cutPage(counted[i] as RangeTruth, question))
  }).flat()
}

function cutPage({ site, pages }: RangeTruth, { limit, offset }: Question): AnswerPage {
  const cut = pages.slice(offset, offset + limit)
  return { site, pages: cut, hasMore: cut.length > 0 && pages.length > offset + limit }
}

/** Returns the number of different counts and positions. */
export function countDifferences(got: AnswerPage, want: AnswerPage): number {
  const differs = (a: Counts | undefined, b: Counts | undefined) => String(a) !== String(b)
  let differences = Number(differs(got.site, want.site)) + Number(got.hasMore !== want.hasMore)
  for (let i = 0; i < Math.max(got.pages.length, want.pages.length); i++) {
    const [ours, theirs] = [got.pages[i], want.pages[i]]
    if (ours?.path !== theirs?.path || differs(ours?.counts, theirs?.counts)) differences++
  }
  return differences
}
