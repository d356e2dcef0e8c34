import { expect, test } from 'vitest'
import { formatDay, toDay } from '../../server/analytics/day.ts'
import { seedDemo } from '../../server/commands/demo/seed.ts'
import { visitorsPage } from '../../server/dashboard/pages/visitors.ts'
import { getUniqueVisitors } from '../../server/operations/getUniqueVisitors.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import { createVisit, now, openDashboard, readDownload, showPage, toText } from './dashboard-visit.ts'

const today = toDay(now)

test('the totals are those of the operation, for three ranges of the demo log', async context => {
  const dashboard = await openDashboard()
  context.onTestFinished(() => dashboard.dispose())
  const { store, deps, dataFolder } = dashboard
  const { projectId, organizationId } = await seedDemo(store, { dataFolder, keyPrefix: 'quire_', now, newKey: false })
  const demo = (await store.organizations.find(organizationId)) as Organization
  const caller = {
    organizationId,
    keyId: 'key_1',
    scopes: ['read' as const],
    plan: 'enterprise' as const,
    projectIds: null,
  }
  const ranges = [
    ['range=7', { dateFrom: formatDay(today - 6), dateTo: formatDay(today + 1) }],
    ['range=all', {}],
    ['range=custom&from=2026-11-02&to=2026-11-08', { dateFrom: '2026-11-02', dateTo: '2026-11-09' }],
  ] as const
  const seen = new Set<number>()
  for (const [query, dates] of ranges) {
    const answer = await getUniqueVisitors(
      { params: { projectId }, query: { ...dates, limit: 50, offset: 0 }, mediaType: 'application/json' } as Parameters<
        typeof getUniqueVisitors
      >[0],
      deps,
      caller,
    )
    const { totals, visitors } = answer.body as {
      totals: { human: number; ai: number; total: number }
      visitors: object[]
    }
    const visit = createVisit(demo, `/visitors?${query}`)
    const text = toText((await showPage(visitorsPage, visit, deps)).text)
    const number = (value: number) => value.toLocaleString('en')
    expect(text).toContain(`People ${number(totals.human)} AI ${number(totals.ai)} Total ${number(totals.total)} `)
    const json = await readDownload(
      await visitorsPage.show(createVisit(demo, `/visitors?${query}&download=json`), deps),
    )
    expect(JSON.parse(json.text)).toMatchObject({ totals })
    expect(JSON.parse(json.text).pages.slice(0, 50)).toEqual(visitors)
    seen.add(totals.total)
  }
  expect(seen.size).toBe(3)
  expect(Math.min(...seen)).toBeGreaterThan(100)
})

test.each(['30', 'month'])(
  'of the range %s, the page that lost most readers is the one that was replaced',
  async range => {
    const dashboard = await openDashboard()
    try {
      const { store, deps, dataFolder } = dashboard
      const { organizationId } = await seedDemo(store, { dataFolder, keyPrefix: 'quire_', now, newKey: false })
      const demo = (await store.organizations.find(organizationId)) as Organization
      const visit = createVisit(demo, `/visitors?range=${range}&compare=previous&sort=loss`)
      const text = toText((await showPage(visitorsPage, visit, deps)).text)
      expect(text).toContain('Compared with 2026-')
      const [, left, change] = / Change \/docs\/getting-started (\d+) \d+ \d+ (-\d+) \(-\d+ %\) /.exec(text) ?? []
      expect(Number(left)).toBeGreaterThan(0)
      expect(Number(change)).toBeLessThan(-100)
    } finally {
      await dashboard.dispose()
    }
  },
)
