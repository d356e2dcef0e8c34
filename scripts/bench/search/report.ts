import { toSpread } from '../archive/report.ts'
import { toTable } from '../export/report.ts'
import type { Machine } from '../http/report.ts'
import { median } from '../http/summary.ts'
import { type Answer, summarizeAnswers } from './quality.ts'
import type { QuestionKind } from './questions.ts'
import type { CorpusResult, EngineResult, Size } from './run.ts'

export interface Report {
  /** RFC 3339. */
  at: string
  machine: Machine
  rounds: number
  corpora: CorpusResult[]
}

const costHeads = [
  'engine',
  'engine kB (gz)',
  'page script kB (gz)',
  'index MB (gz)',
  'texts MB (gz)',
  'CPU ms to build',
  'first hit ms',
  'first hit after opening the search ms',
  'page CPU ms',
  'heap MB',
  'next question ms',
]
const kinds: readonly QuestionKind[] = ['name', 'words', 'prefix', 'typo']
const qualityHeads = [
  'engine',
  'questions',
  'first',
  'in 3',
  'in 5',
  'MRR',
  'MRR without typos',
  ...kinds.map(kind => `${kind}: first, in 3`),
]

/** Formats the report as Markdown for RESULTS.md. */
export function searchText({ at, machine, rounds, corpora }: Report): string {
  const engines = corpora[0]?.results.map(({ engine }) => engine) ?? []
  const answersBy = (answersOf: (result: EngineResult) => Answer[]) =>
    engines.map((_, index) => corpora.flatMap(({ results }) => results.slice(index, index + 1).flatMap(answersOf)))
  const sets = {
    'First set': answersBy(({ answers }) => answers),
    'Second set': answersBy(each => each.heldOutAnswers),
  }
  return [
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ` +
      `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after.`,
    `${rounds} interleaved rounds for the first hit, each in a new browser context; medians (minimum to maximum).`,
    ...corpora.flatMap(({ name, pages, sections, results }) => [
      '',
      `${name}: ${pages} pages, ${sections.toLocaleString('en')} sections`,
      '',
      ...toTable([costHeads, ...results.map(toCosts)]),
    ]),
    ...Object.entries(sets).flatMap(([name, byEngine]) => [
      '',
      `${name} of questions:`,
      '',
      ...toTable([qualityHeads, ...byEngine.map((answers, index) => toQuality(engines[index] ?? '', answers))]),
    ]),
    ...Object.entries(sets).flatMap(([name, byEngine]) => [
      '',
      `Rank of the first correct page, ${name.toLowerCase()}:`,
      '',
      ...toTable([['question', 'kind', ...engines], ...toRanks(byEngine)]),
    ]),
  ].join('\n')
}

function toCosts(result: EngineResult): string[] {
  const { engine, engineCode, script, index, texts, buildCpuMs, firstHits, answerMs } = result
  return [
    engine,
    inUnits(engineCode, 1e3),
    inUnits(script, 1e3),
    inUnits(index, 1e6),
    inUnits(texts, 1e6),
    buildCpuMs.toFixed(0),
    toSpread(firstHits.map(({ totalMs }) => totalMs)),
    toSpread(firstHits.map(({ searchMs }) => searchMs)),
    toSpread(firstHits.map(({ cpuMs }) => cpuMs)),
    median(firstHits.map(({ heapBytes }) => heapBytes / 1e6)).toFixed(1),
    toSpread(answerMs),
  ]
}

function toQuality(engine: string, answers: readonly Answer[]): string[] {
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const { questions, top1, top3, top5, mrr } = summarizeAnswers(answers)
  const withoutTypos = summarizeAnswers(answers.filter(({ question }) => question.kind !== 'typo'))
  const byKind = kinds.map(kind => summarizeAnswers(answers, kind))
  return [
    engine,
    String(questions),
    ...[top1, top3, top5].map(percent),
    mrr.toFixed(3),
    withoutTypos.mrr.toFixed(3),
    ...byKind.map(
      ({ questions, top1, top3 }) =>
        `${[top1, top3].map(share => Math.round(share * questions)).join(', ')} of ${questions}`,
    ),
  ]
}

/** Returns a row for each question. All engines answered the same questions. */
function toRanks(byEngine: readonly Answer[][]): string[][] {
  const [first = []] = byEngine
  return first.map(({ question }, at) => [
    `\`${question.question}\``,
    question.kind,
    ...byEngine.map(answers => String(answers[at]?.rank ?? '-')),
  ])
}

function inUnits({ bytes, gzipBytes }: Size, unit: number): string {
  return `${(bytes / unit).toFixed(1)} (${(gzipBytes / unit).toFixed(1)})`
}
