import { agentUses } from '../../analytics/agents/agent-list.ts'
import { type Day, formatDay, parseDay, toDay } from '../../analytics/day.ts'
import { toPagePath } from '../../analytics/page.ts'
import { type Comparison, comparisons } from '../../analytics/report/compare.ts'
import { type ReportList, reportLists } from '../../analytics/report/visit-report.ts'
import type { DayRange } from '../../analytics/unique-visitors.ts'
import { isByChange, type PageOrder, pageOrders } from '../../analytics/visit-counts.ts'
import { type FilterName, filterNames, type VisitFilter } from '../../analytics/visit-filter.ts'
import type { Visit } from '../page.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'

/** Rows of a table, and of one that shows all. */
export const fewRows = 10
export const manyRows = 100

export type RangeName = keyof typeof texts.ranges

/** The ranges that need no dates, in the order of their links. */
export const presets = ['today', 'yesterday', '7', '30', '90', 'month', 'last-month', 'year', 'all'] as const

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
  filter: VisitFilter
  list: ReportList
  order: PageOrder
  /** Text in the paths of pages; '' = all pages. */
  contains: string
  comparison: Comparison | undefined
  /** Shows `manyRows` of each table instead of `fewRows`. */
  hasAll: boolean
  /** Counts the pages that agents read, even if that takes long. */
  hasCoverage: boolean
  /** The part of the pages, from 1. */
  part: number
}

/** Reads the query of the page. What is unknown gets its default, but for dates, which a person types. */
export function readVisitorsQuestion(query: URLSearchParams, projectId: string, now: number): VisitorsQuestion {
  const order = query.get('sort') as PageOrder
  const part = Number(query.get('part'))
  const filter = readFilter(query)
  const list = reportLists.find(name => name === query.get('list')) ?? 'pages'
  const comparison = comparisons.find(name => name === query.get('compare'))
  return {
    projectId,
    range: readRangeChoice(query, now),
    filter,
    list: listOffered(filter).includes(list) ? list : 'pages',
    order: pageOrders.includes(order) && (comparison || !isByChange(order)) ? order : 'total',
    contains: (query.get('find') ?? '').trim().slice(0, 200),
    comparison,
    hasAll: query.has('all'),
    hasCoverage: query.has('coverage'),
    part: Number.isSafeInteger(part) && part > 0 ? part : 1,
  }
}

function readFilter(query: URLSearchParams): VisitFilter {
  const filter: VisitFilter = {}
  for (const name of filterNames) {
    const value = query.get(name)
    if (!value) continue
    if (name === 'page') {
      if (value.startsWith('/')) filter.page = toPagePath(value)
    } else if (name !== 'class') filter[name] = value.slice(0, 200)
    else if (agentUses.some(use => use === value)) filter.class = value
  }
  return filter
}

/** Lists what a filter leaves: agents come from no site, and people who come from one are no agents. */
export function listOffered({ agent, class: use, referrer }: VisitFilter): readonly ReportList[] {
  const isAgent = agent !== undefined || use !== undefined
  return reportLists.filter(
    list => !(list === 'referrers' && isAgent) && !(list === 'agents' && referrer !== undefined),
  )
}

/** Returns the filter with another value. An agent, a class, an assistant and a site exclude each other. */
export function addToFilter(filter: VisitFilter, name: FilterName, value: string): VisitFilter {
  return name === 'page' ? { ...filter, page: value } : { page: filter.page, [name]: value }
}

/** Returns the address of the page with another question. Its first part of the pages is shown, unless `part` is given. */
export function visitorsLink(visit: Visit, question: VisitorsQuestion, change: Partial<VisitorsQuestion> = {}): string {
  return `${visit.link('/visitors')}?${new URLSearchParams(listFields({ ...question, part: 1, ...change }))}`
}

/** Lists the fields of the query of a question. */
export function listFields(question: VisitorsQuestion): [name: string, value: string][] {
  const { projectId, range, filter, list, order, contains, comparison, hasAll, hasCoverage, part } = question
  const fields: [string, string | undefined | false][] = [
    ['project', projectId],
    ['range', range.name],
    ['from', range.name === 'custom' && range.from],
    ['to', range.name === 'custom' && range.to],
    ['compare', comparison],
    ...filterNames.map(name => [name, filter[name]] as [string, string | undefined]),
    ['list', list !== 'pages' && list],
    ['sort', order !== 'total' && order],
    ['find', contains],
    ['all', hasAll && '1'],
    ['coverage', hasCoverage && '1'],
    ['part', part > 1 && String(part)],
  ]
  return fields.flatMap(([name, value]) => (value ? [[name, value]] : []))
}

/** Returns the choice of a range that needs no dates. */
export function chooseRange(name: Exclude<RangeName, 'custom'>, now: number): RangeChoice {
  if (name === 'all') return { name, from: '', to: '', days: {}, problems: {} }
  const today = toDay(now)
  const [first, last] = findDays(name, today)
  return toChoice(name, { dateFrom: first, dateTo: last + 1 })
}

/** Returns the first and the last day of a range. */
function findDays(name: Exclude<RangeName, 'custom' | 'all'>, today: Day): [first: Day, last: Day] {
  const date = formatDay(today)
  const firstOf = (year: number, month: number) => toDay(Date.UTC(year, month))
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1]
  switch (name) {
    case 'today':
      return [today, today]
    case 'yesterday':
      return [today - 1, today - 1]
    case 'month':
      return [firstOf(year, month), today]
    case 'last-month':
      return [firstOf(year, month - 1), firstOf(year, month) - 1]
    case 'year':
      return [firstOf(year, 0), today]
    default:
      return [today + 1 - Number(name), today]
  }
}

function toChoice(name: RangeName, days: Required<DayRange>): RangeChoice {
  return { name, from: formatDay(days.dateFrom), to: formatDay(days.dateTo - 1), days, problems: {} }
}

/** Returns the days before a range, as many as it has, or those after it; undefined if it is open, or they are in the future. */
export function moveRange({ days }: RangeChoice, direction: -1 | 1, now: number): RangeChoice | undefined {
  const { dateFrom, dateTo } = days
  if (dateFrom === undefined || dateTo === undefined) return undefined
  const by = direction * (dateTo - dateFrom)
  if (dateFrom + by > toDay(now) || dateFrom + by < 0) return undefined
  return toChoice('custom', { dateFrom: dateFrom + by, dateTo: dateTo + by })
}

/** Whether a range has the day that is not over yet. */
export function hasToday({ days }: RangeChoice, now: number): boolean {
  return days.dateTo === undefined || days.dateTo > toDay(now)
}

function readRangeChoice(query: URLSearchParams, now: number): RangeChoice {
  const name = query.get('range') ?? ''
  // Addresses that were kept before the ranges of calendar years have it.
  if (name === '365') return toChoice('custom', { dateFrom: toDay(now) - 364, dateTo: toDay(now) + 1 })
  if (name !== 'custom') return chooseRange(isKnown(name) ? name : '30', now)
  const from = (query.get('from') ?? '').trim()
  const to = (query.get('to') ?? '').trim()
  const first = readDate(from)
  const last = readDate(to)
  const problems: RangeChoice['problems'] = {}
  if (from !== '' && first === undefined) problems.from = texts.dateInvalid
  else if (isOutside(first)) problems.from = texts.dateOutside
  if (to !== '' && last === undefined) problems.to = texts.dateInvalid
  else if (isOutside(last)) problems.to = texts.dateOutside
  if (first !== undefined && last !== undefined && last < first) problems.to = texts.datesSwapped
  const days = { ...(first !== undefined && { dateFrom: first }), ...(last !== undefined && { dateTo: last + 1 }) }
  return { name, from, to, days, problems }
}

function isKnown(name: string): name is (typeof presets)[number] {
  return presets.some(preset => preset === name)
}

/** The day after the last one that may be typed. */
const maxDay = toDay(Date.UTC(2201, 0))

function isOutside(day: Day | undefined): boolean {
  return day !== undefined && (day < 0 || day >= maxDay)
}

function readDate(text: string): Day | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDay(text) : undefined
}
