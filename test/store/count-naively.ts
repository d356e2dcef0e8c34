import type { DayRange, UniqueVisitors } from '../../server/analytics/unique-visitors.ts'
import type { PageView } from '../../server/analytics/view-batch.ts'

/** Counts unique visitors with sets, all pages in one answer. The first byte identifies a visitor. */
export function countNaively(views: readonly PageView[], { dateFrom = -1, dateTo = 1e9 }: DayRange): UniqueVisitors {
  const within = views.filter(({ day }) => day >= dateFrom && day < dateTo)
  const who = (some: readonly PageView[]) => new Set(some.map(({ visitor }) => visitor[0])).size
  const count = (some: readonly PageView[]) => ({
    human: who(some.filter(({ kind }) => kind === 'human')),
    ai: who(some.filter(({ kind }) => kind === 'ai')),
    total: who(some),
  })
  const visitors = [...new Set(within.map(({ path }) => path))]
    .map(path => ({ path, ...count(within.filter(one => one.path === path)) }))
    .sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
  return { totals: count(within), visitors, hasMore: false }
}
