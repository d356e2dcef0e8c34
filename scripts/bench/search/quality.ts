import type { Question, QuestionKind } from './questions.ts'

/** A question, and what one engine made of it. */
export interface Answer {
  question: Question
  /** 1 = the first page found is a right one. Null = no right page is among the hits. */
  rank: number | null
}

export interface Quality {
  questions: number
  /** Shares of the questions with a right page among the first pages found. */
  top1: number
  top3: number
  top5: number
  /** Mean reciprocal rank: the mean of 1 / rank, with 0 where no right page is found. */
  mrr: number
}

/** @param paths of the pages found, best first; several hits of a page count as one. */
export function rankAnswer(question: Question, paths: readonly string[]): Answer {
  const pages = [...new Set(paths.map(path => path.replace(/\.html$/, '')))]
  const at = pages.findIndex(page => question.pages.includes(page))
  return { question, rank: at === -1 ? null : at + 1 }
}

/** Only of one kind when it is given. NaN when there are no answers. */
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
