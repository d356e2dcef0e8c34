import { expect, test } from 'vitest'
import { markdownHeldOut, pythonHeldOut } from '../../../scripts/bench/search/held-out-questions.ts'
import { bestOptions, optionGrid } from '../../../scripts/bench/search/minisearch-query.ts'
import { type Answer, rankAnswer, summarizeAnswers } from '../../../scripts/bench/search/quality.ts'
import { markdownQuestions, pythonQuestions, type Question } from '../../../scripts/bench/search/questions.ts'

const question: Question = { kind: 'words', question: 'open file', pages: ['io', 'functions'] }

test.each<[string[], number | null]>([
  [['io.html', 'os.html'], 1],
  [['os.html', 'functions.html', 'io.html'], 2],
  [['os.html', 'os.html', 'os.html', 'io.html'], 2],
  [['library/io.html'], null],
  [[], null],
])('in the answer %j, the first right page has rank %j', (paths, rank) => {
  expect(rankAnswer(question, paths)).toEqual({ question, rank })
})

test('summarizes the ranks of all questions or of one kind', () => {
  const typo: Question = { ...question, kind: 'typo' }
  const answers: Answer[] = [
    { question, rank: 1 },
    { question, rank: 4 },
    { question, rank: 5 },
    { question: typo, rank: null },
  ]
  expect(summarizeAnswers(answers)).toEqual({ questions: 4, top1: 0.25, top3: 0.25, top5: 0.75, mrr: 1.45 / 4 })
  expect(summarizeAnswers(answers, 'typo')).toEqual({ questions: 1, top1: 0, top3: 0, top5: 0, mrr: 0 })
})

test.each([
  ['first', [...pythonQuestions, ...markdownQuestions]],
  ['second', [...pythonHeldOut, ...markdownHeldOut]],
])('the %s set has 50 different questions, and each has an answer', (_, questions) => {
  expect(new Set(questions.map(each => each.question)).size).toBe(50)
  expect(questions.filter(({ pages }) => pages.length === 0)).toEqual([])
})

test('both sets have the same number of questions of each kind, and no question in common', () => {
  const first = [...pythonQuestions, ...markdownQuestions]
  const second = [...pythonHeldOut, ...markdownHeldOut]
  const kinds = (questions: Question[]) => questions.map(({ kind }) => kind).sort()
  expect(kinds(second)).toEqual(kinds(first))
  expect(second.filter(({ question }) => first.some(each => each.question === question))).toEqual([])
})

test('the best setting is one of 256 settings', () => {
  expect(optionGrid).toHaveLength(256)
  expect(optionGrid).toContainEqual(bestOptions)
})
