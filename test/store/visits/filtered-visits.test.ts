import { expect, test } from 'vitest'
import { findAgentUse } from '../../../server/analytics/agents/agent-use.ts'
import { filterReader } from '../../../server/analytics/report/filter-reader.ts'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import type { VisitFilter } from '../../../server/analytics/visit-filter.ts'
import fc from '../../support/fast-check.ts'
import { shareTests } from '../stores.ts'

const shared = shareTests(async ({ store }) => {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  const project = { id: 'prj_1', organizationId: 'org_1', name: '', visitorRules: 2, createdAt: 0 } as const
  await store.projects.insert({ ...project, visitorSaltRotation: 'never' })
})

/** A view of a page, by an agent, or by a person who may come from the site of an assistant. */
interface Seen {
  who: number
  day: number
  path: string
  agent?: string | undefined
  site?: string | undefined
}

const siteOf = { ChatGPT: 'chatgpt.com', Claude: 'claude.ai' }
const agentsOf = { ChatGPT: ['ChatGPT-User', 'OAI-SearchBot'], Claude: ['Claude-User'] }
const first = 20_700
const anySeen = fc
  .record({
    who: fc.nat(5),
    day: fc.integer({ min: first, max: first + 40 }),
    path: fc.constantFrom('/', '/a', '/b'),
    from: fc.constantFrom('GPTBot', 'ChatGPT-User', 'OAI-SearchBot', 'Claude-User', 'chatgpt.com', 'claude.ai', ''),
  })
  .map(({ from, ...view }): Seen => {
    if (from === '' || from.includes('.')) return { ...view, site: from || undefined }
    return { ...view, agent: from }
  })
const anyFilter = fc
  .record({
    page: fc.option(fc.constantFrom('/a', '/b', '/never'), { nil: undefined }),
    by: fc.constantFrom<VisitFilter>(
      {},
      { agent: 'GPTBot' },
      { agent: 'chatgpt-user' },
      { class: 'assistant' },
      { class: 'search', agent: 'GPTBot' },
      { assistant: 'ChatGPT' },
      { referrer: 'claude.ai' },
    ),
  })
  .map(({ page, by }): VisitFilter => ({ ...by, ...(page !== undefined && { page }) }))
const anyRange = fc
  .tuple(fc.integer({ min: first - 1, max: first + 41 }), fc.nat(42))
  .map(([dateFrom, days]) => ({ dateFrom, dateTo: dateFrom + days }))

/** Whether a view is one of those that a filter names. */
function isMatch({ path, agent, site }: Seen, { page, agent: name, class: use, assistant, referrer }: VisitFilter) {
  if (page !== undefined && path !== page) return false
  if (name === undefined && use === undefined && assistant === undefined && referrer === undefined) return true
  const known = assistant as keyof typeof siteOf | undefined
  if (agent !== undefined) {
    const isNamed = name === undefined || agent.toLowerCase() === name.toLowerCase()
    const isOf = known === undefined || agentsOf[known].includes(agent)
    return isNamed && isOf && (use === undefined || findAgentUse(agent) === use) && referrer === undefined
  }
  if (name !== undefined || use !== undefined) return false
  return site !== undefined && (referrer ?? site) === site && (known === undefined || siteOf[known] === site)
}

function countNaively(all: readonly Seen[], filter: VisitFilter, range: { dateFrom: number; dateTo: number }) {
  const found = all.filter(seen => seen.day >= range.dateFrom && seen.day < range.dateTo && isMatch(seen, filter))
  const count = (some: readonly Seen[]) => new Set(some.map(({ who }) => who)).size
  const countAll = (some: readonly Seen[]) => ({
    human: count(some.filter(({ agent }) => agent === undefined)),
    ai: count(some.filter(({ agent }) => agent !== undefined)),
    total: count(some),
  })
  const pages = Object.fromEntries(
    [...Map.groupBy(found, ({ path }) => path)].map(([path, of]) => [path, countAll(of)]),
  )
  const named = Map.groupBy(found, ({ agent }) => agent)
  named.delete(undefined)
  const agents = Object.fromEntries([...named].map(([agent, of]) => [agent, count(of)]))
  const referred = count(found.filter(({ site }) => site !== undefined))
  return { totals: countAll(found), pages, agents, referred }
}

/** People and agents never share an address and user agent here, as in a log; agents may change their name. */
function toViews({ who, day, path, agent, site }: Seen) {
  const visitor = Buffer.alloc(16, agent === undefined ? who : 100 + who)
  const view = { visitor, day, path, kind: agent === undefined ? ('human' as const) : ('ai' as const) }
  const label = agent === undefined ? site && `from:${site}${path}` : `agent:${agent}`
  return label ? [view, { ...view, path: label, kind: 'label' as const }] : [view]
}

shared.describe('filtered visits', () => {
  test('each filter and range has the counts of its views, in total, by page, by agent and by period', async () => {
    const { store } = shared
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySeen, { maxLength: 40 }),
        anyFilter,
        fc.array(anyRange, { minLength: 1, maxLength: 3 }),
        async (drawn, filter, ranges) => {
          // One visitor of a day has one agent.
          const all = [
            ...new Map(drawn.map(seen => [`${seen.who} ${seen.day} ${seen.agent === undefined}`, seen])).values(),
          ].map(seen => ({ ...seen, who: seen.agent === undefined ? seen.who : 100 + seen.who }))
          await store.visits.deleteVisits('prj_1')
          await store.visits.recordBatch(
            'prj_1',
            toViewBatch(all.flatMap(seen => toViews({ ...seen, who: seen.who % 100 }))),
          )
          const reader = filterReader(store.visits, filter)
          const want = ranges.map(range => countNaively(all, filter, range))
          expect(await reader.countTotals('prj_1', ranges)).toEqual(want.map(({ totals }) => totals))
          for (const [i, range] of ranges.entries()) {
            const { pageCount, listPages } = await reader.countRange('prj_1', range)
            const pages = (await listPages(0, pageCount)).map(({ path, ...counts }) => [path, counts])
            expect(Object.fromEntries(pages)).toEqual(want[i]?.pages)
            const labels = [...(await reader.countLabels('prj_1', range))]
            const agents = labels.flatMap(([label, count]) =>
              label.startsWith('agent:') ? [[label.slice(6), count]] : [],
            )
            expect(Object.fromEntries(agents)).toEqual(want[i]?.agents)
            expect(new Map(labels).get('from:') ?? 0).toBe(want[i]?.referred)
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
