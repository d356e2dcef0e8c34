import { formatDay, parseDay, toDay } from '../../analytics/day.ts'
import { type Comparison, comparisons } from '../../analytics/report/compare.ts'
import type { DayRange } from '../../analytics/unique-visitors.ts'
import { type PageOrder, pageOrders } from '../../analytics/visit-counts.ts'
import type { Visit } from '../page.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'

/** Pages of the site in one table. */
export const rowsPerPage = 50

const lastDays = { '7': 7, '30': 30, '90': 90, '365': 365 } as const
export type RangeName = keyof typeof texts.ranges

/** The days that a person chose. */
export interface RangeChoice {
  name: RangeName
  /** What was typed: the first and the last day, both inclusive; '' = open. */
  from: string
  to: string
  days: DayRange
  /** What is wrong with the dates. Then `days` is not used. */
  problems: { from?: string; to?: string }
}

/** What the address of the page asks for, besides the project. */
export interface VisitorsQuestion {
  projectId: string
  range: RangeChoice
  order: PageOrder
  /** Text in the paths of pages; '' = all pages. */
  contains: string
  comparison: Comparison | undefined
  /** Counted from 1. */
  page: number
}

/** Reads the query of the page. What is unknown gets its default, but for dates, which a person types. */
export function readVisitorsQuestion(query: URLSearchParams, projectId: string, now: number): VisitorsQuestion {
  const order = query.get('sort') as PageOrder
  const page = Number(query.get('page'))
  return {
    projectId,
    range: readRangeChoice(query, now),
    order: pageOrders.includes(order) ? order : 'total',
    contains: (query.get('find') ?? '').trim().slice(0, 200),
    comparison: comparisons.find(name => name === query.get('compare')),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  }
}

/** Returns the address of the page with another question. Its first page of rows is shown, unless `page` is given. */
export function visitorsLink(visit: Visit, question: VisitorsQuestion, change: Partial<VisitorsQuestion> = {}): string {
  const { projectId, range, order, contains, comparison, page } = { ...question, page: 1, ...change }
  const query = new URLSearchParams({ project: projectId, range: range.name })
  if (range.name === 'custom') {
    query.set('from', range.from)
    query.set('to', range.to)
  }
  if (order !== 'total') query.set('sort', order)
  if (contains !== '') query.set('find', contains)
  if (comparison) query.set('compare', comparison)
  if (page > 1) query.set('page', String(page))
  return `${visit.link('/visitors')}?${query}`
}

/** Returns the choice of a range that needs no dates. */
export function chooseRange(name: Exclude<RangeName, 'custom'>, now: number): RangeChoice {
  if (name === 'all') return { name, from: '', to: '', days: {}, problems: {} }
  const dateTo = toDay(now) + 1
  return toChoice(name, { dateFrom: dateTo - lastDays[name], dateTo })
}

function toChoice(name: RangeName, days: Required<DayRange>): RangeChoice {
  return { name, from: formatDay(days.dateFrom), to: formatDay(days.dateTo - 1), days, problems: {} }
}

function readRangeChoice(query: URLSearchParams, now: number): RangeChoice {
  const name = query.get('range') ?? ''
  if (name !== 'custom') return chooseRange(name === 'all' || isLastDays(name) ? name : '30', now)
  const from = (query.get('from') ?? '').trim()
  const to = (query.get('to') ?? '').trim()
  const first = readDate(from)
  const last = readDate(to)
  const problems: RangeChoice['problems'] = {}
  if (from !== '' && first === undefined) problems.from = texts.dateInvalid
  if (to !== '' && last === undefined) problems.to = texts.dateInvalid
  if (first !== undefined && last !== undefined && last < first) problems.to = texts.datesSwapped
  const days = { ...(first !== undefined && { dateFrom: first }), ...(last !== undefined && { dateTo: last + 1 }) }
  return { name, from, to, days, problems }
}

function isLastDays(name: string): name is keyof typeof lastDays {
  return Object.hasOwn(lastDays, name)
}

function readDate(text: string): number | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDay(text) : undefined
}
