import { conditionsText, type Machine, median, toTable } from '../report.ts'
import type { FirstLoad } from './first-load.ts'
import type { PageFigures } from './measure-pages.ts'

interface Goal {
  about: string
  value: number
  atMost: number
  isMet: boolean
}

export interface Figures {
  visits: number
  rounds: number
  machine: Machine
  pages: PageFigures[]
  firstLoad: FirstLoad
}

export interface Report extends Figures {
  goals: Goal[]
}

export function withGoals(figures: Figures): Report {
  const goal = (about: string, value: number, atMost: number) => ({ about, value, atMost, isMet: value <= atMost })
  const { pages, firstLoad } = figures
  const paint = median(firstLoad.paintMs)
  const goals = [
    goal('slowest page, ms', Math.max(...pages.map(({ maxMs, firstMs }) => Math.max(maxMs, firstMs))), 1000),
    goal('first paint, median, ms', paint, 300),
    goal('first load, KB', firstLoad.bytes / 1000, 150),
    goal('requests to other servers', firstLoad.outbound.length, 0),
  ]
  return { ...figures, goals }
}

/** Formats the report as Markdown for RESULTS.md. */
export function reportText({ visits, rounds, machine, pages, firstLoad, goals }: Report): string {
  const rows = pages.map(({ page, firstMs, p50Ms, p95Ms, maxMs, bytes }) => [
    page,
    ...[firstMs, p50Ms, p95Ms, maxMs].map(ms => String(Math.round(ms))),
    (bytes / 1000).toFixed(0),
  ])
  return `${visits.toLocaleString('en')} visits, ${rounds} requests for each page. ${conditionsText(machine)}

${toTable([['page', 'first ms', 'p50 ms', 'p95 ms', 'max ms', 'KB'], ...rows]).join('\n')}

First paint after the sign-in, with an empty cache: ${firstLoad.paintMs.map(Math.round).join(', ')} ms.

${goals.map(({ about, value, atMost, isMet }) => `- ${about}: ${Math.round(value)}, at most ${atMost}: ${isMet ? 'met' : 'missed'}`).join('\n')}`
}
