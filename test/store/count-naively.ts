import type { DayRange, UniqueVisitors } from '../../server/analytics/unique-visitors.ts'
import type { PageView } from '../../server/analytics/view-batch.ts'

/** Counts unique visitors with sets, all pages in one answer. The first byte identifies a visitor. */
export function countNaively(all: readonly PageView[], range: DayRange): UniqueVisitors {
  const within = inRange(all, range).filter(({ kind }) => kind !== 'label')
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

/**
 * Counts the unique visitors of each label. A referral counts for its page, its site, and all sites.
 *
 * @param keptFrom the visitors of earlier days were pruned: they count once for each day
 */
export function countLabelsNaively(
  all: readonly PageView[],
  range: DayRange,
  keptFrom = Number.NEGATIVE_INFINITY,
): Record<string, number> {
  const found = inRange(all, range).filter(({ kind }) => kind === 'label')
  if (found.some(({ day }) => day < keptFrom)) return sumDays(found)
  const labels = Map.groupBy(
    found.flatMap(one => toLabels(one.path).map(path => ({ ...one, path }))),
    ({ path }) => path,
  )
  return Object.fromEntries(
    [...labels].map(([label, views]) => [label, new Set(views.map(one => one.visitor[0])).size]),
  )
}

function toLabels(label: string): string[] {
  // The class of an agent is that of the agent lists.
  if (label === 'agent:GPTBot') return [label, 'class:training']
  const site = /^from:[^/]*/.exec(label)?.[0]
  return site === undefined ? [label] : [label, site, 'from:']
}

/** Adds up the visitors of each stored label and day. */
function sumDays(views: readonly PageView[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const found of new Set(views.map(({ visitor, day, path }) => `${visitor[0]} ${day} ${path}`))) {
    for (const label of toLabels(found.replace(/^\d+ \d+ /, ''))) sums[label] = (sums[label] ?? 0) + 1
  }
  return sums
}

function inRange(views: readonly PageView[], { dateFrom = -1, dateTo = 1e9 }: DayRange): PageView[] {
  return views.filter(({ day }) => day >= dateFrom && day < dateTo)
}
