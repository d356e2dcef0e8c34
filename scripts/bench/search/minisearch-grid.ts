import { toTable } from '../export/report.ts'
import { type Corpus, readMarkdownCorpus, readPythonCorpus } from './corpora.ts'
import { indexWithMiniSearch } from './minisearch-engine.ts'
import { optionGrid, queryMiniSearch } from './minisearch-query.ts'
import { type Quality, rankAnswer, summarizeAnswers } from './quality.ts'
import type { Question } from './questions.ts'

const mostPages = 20

/**
 * Compares all settings of the grid on both sets of questions. Returns a table with the worst, the quartiles and the best by the
 * first set.
 */
export async function miniSearchGrid(cacheFolder: string): Promise<string[]> {
  const built = [await readPythonCorpus(cacheFolder), await readMarkdownCorpus(cacheFolder)].map(corpus => ({
    corpus,
    ...indexWithMiniSearch(corpus.pages),
  }))
  const rows = optionGrid.map(options => {
    const judge = (questionsOf: (corpus: Corpus) => readonly Question[]): Quality =>
      summarizeAnswers(
        built.flatMap(({ corpus, index, pathOf }) =>
          questionsOf(corpus).map(question => {
            const paths = queryMiniSearch(index, question.question, options).map(({ id }) => pathOf[id] ?? '')
            return rankAnswer(question, [...new Set(paths)].slice(0, mostPages))
          }),
        ),
      )
    return { options, first: judge(({ questions }) => questions), heldOut: judge(({ heldOut }) => heldOut) }
  })
  rows.sort((a, b) => a.first.mrr - b.first.mrr)
  const held = rows.map(({ heldOut }) => heldOut.mrr).sort((a, b) => a - b)
  const last = rows.length - 1
  const places = {
    worst: 0,
    'lower quartile': last >> 2,
    median: last >> 1,
    'upper quartile': last - (last >> 2),
    best: last,
  }
  return [
    ...toTable([
      [
        'setting by MRR',
        'MRR, first set',
        'first',
        'in 5',
        'MRR, second set',
        'MRR at this rank, second set',
        'options',
      ],
      ...Object.entries(places).map(([place, at]) => {
        const { options, first, heldOut } = rows[at] as (typeof rows)[number]
        const shares = [first.top1, first.top5].map(share => `${Math.round(share * 100)} %`)
        const figures = [first.mrr.toFixed(3), ...shares, heldOut.mrr.toFixed(3), (held[at] ?? 0).toFixed(3)]
        return [place, ...figures, `\`${JSON.stringify(options)}\``]
      }),
    ]),
  ]
}
