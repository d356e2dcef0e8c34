import type { Question, QuestionKind } from './questions.ts'

/** A question, and the rank of the first correct page in the answer of one engine. */
export interface Answer {
  question: Question
  /** 1 = the first page is correct. Null = no hit is on a correct page. */
  rank: number | null
}

export interface Quality {
  questions: number
  /** Share of the questions with a correct page in first place, in the first three and in the first five. */
  top1: number
  top3: number
  top5: number
  /** Mean reciprocal rank: the mean of 1 / rank, or of 0 if no correct page was found. */
  mrr: number
}

/**
 * Finds the rank of the first correct page.
 *
 * @param paths pages of the hits, best first; several hits on one page count as one.
 */
export function rankAnswer(question: Question, paths: readonly string[]): Answer {
  const pages = [...new Set(paths.map(path => path.replace(/\.html$/, '')))]
  const at = pages.findIndex(page => question.pages.includes(page))
  return { question, rank: at === -1 ? null : at + 1 }
}

/** Computes the quality of all answers, or of one kind. The shares are NaN without answers. */
export function summarizeAnswers(answers: readonly Answer[], kind?: QuestionKind): Quality {
  const ranks = answers.filter(({ question }) => !kind || question.kind === kind).map(({ rank }) => rank)
  const share = (most: number) => ranks.filter(rank => rank !== null && rank <= most).length / ranks.length
  return {
    questions: ranks.length,
    top1: share(1),
    top3: share(3),
    top5: share(5),
    mrr: ranks.reduce<number>((sum, rank) => sum + (rank === null ? 0 : 1 / rank), 0) / ranks.length,
  }
}
