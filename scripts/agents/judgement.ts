import type { Kind } from '../../server/analytics/agents/agent-list.ts'
import { classify } from '../../server/analytics/agents/classify.ts'
import type { LabelledGroup } from './labelled.ts'

/** A user agent that was not classified as its label says. */
export interface Miss {
  userAgent: string
  label: Kind
  result: Kind
  rule: string
}

/** How well user agents with known labels were classified. The rates are between 0 and 1; NaN without user agents of the label. */
export interface Judgement {
  /** Number of user agents by label, then by result. */
  table: Record<Kind, Record<Kind, number>>
  misses: Miss[]
  /** Share of the AI agents that are called AI. */
  aiRecall: number
  humansCalledAi: number
  /** Share of the humans that are called AI or neither. */
  humansCalledOther: number
  botsCalledHuman: number
  botsCalledAi: number
}

const kinds: readonly Kind[] = ['human', 'ai', 'neither']

/** Classifies the user agents and compares the results with their labels. */
export function judge(groups: readonly LabelledGroup[]): Judgement {
  const table = { human: emptyRow(), ai: emptyRow(), neither: emptyRow() }
  const misses: Miss[] = []
  for (const { label, userAgents } of groups) {
    for (const userAgent of userAgents) {
      const { kind, rule } = classify(userAgent)
      table[label][kind]++
      if (kind !== label) misses.push({ userAgent, label, result: kind, rule })
    }
  }
  const share = (label: Kind, ...results: Kind[]) =>
    results.reduce((sum, result) => sum + table[label][result], 0) / countRow(table[label])
  return {
    table,
    misses,
    aiRecall: share('ai', 'ai'),
    humansCalledAi: share('human', 'ai'),
    humansCalledOther: share('human', 'ai', 'neither'),
    botsCalledHuman: share('neither', 'human'),
    botsCalledAi: share('neither', 'ai'),
  }
}

/** Sums the user agents of one label. */
export function countRow(row: Record<Kind, number>): number {
  return kinds.reduce((sum, kind) => sum + row[kind], 0)
}

/** Formats a judgement as a table, with at most `maxMisses` of its misses. */
export function formatJudgement(title: string, { table, misses, ...rates }: Judgement, maxMisses: number): string {
  const percent = (rate: number) => (Number.isNaN(rate) ? '-' : `${(rate * 100).toFixed(2)} %`)
  const row = (name: string, cells: readonly (string | number)[]) =>
    name.padEnd(9) + cells.map(cell => String(cell).padStart(9)).join('')
  const missed = misses
    .slice(0, maxMisses)
    .map(({ label, result, rule, userAgent }) => `  ${label} as ${result} (${rule}): ${userAgent}`)
  return [
    title,
    row('label', kinds),
    ...kinds.map(label =>
      row(
        label,
        kinds.map(kind => table[label][kind]),
      ),
    ),
    `AI recall ${percent(rates.aiRecall)}, humans called AI or neither ${percent(rates.humansCalledOther)} (AI ${percent(rates.humansCalledAi)}), bots called human ${percent(rates.botsCalledHuman)} (AI ${percent(rates.botsCalledAi)})`,
    ...missed,
    ...(misses.length > maxMisses && maxMisses > 0 ? [`  and ${misses.length - maxMisses} more`] : []),
  ].join('\n')
}

function emptyRow(): Record<Kind, number> {
  return { human: 0, ai: 0, neither: 0 }
}
