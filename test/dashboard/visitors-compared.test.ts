import { afterEach, beforeEach, expect, test } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { visitorsPage } from '../../server/dashboard/pages/visitors.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import {
  addOrganization,
  addProject,
  createVisit,
  now,
  openDashboard,
  showPage,
  type TestDashboard,
  toText,
} from './dashboard-visit.ts'

const today = toDay(now)

let dashboard: TestDashboard
let organization: Organization
beforeEach(async () => {
  dashboard = await openDashboard()
  organization = await addOrganization(dashboard.store)
  await addProject(dashboard.store, 'org_1')
})
afterEach(() => dashboard.dispose())

const show = async (query: string) =>
  (await showPage(visitorsPage, createVisit(organization, `/visitors${query}`), dashboard.deps)).text

/** Records views of pages, each by so many people. */
async function record(pages: Record<string, number>, day: number) {
  const views = Object.entries(pages).flatMap(([path, people]) =>
    Array.from({ length: people }, (_, i) => ({ visitor: Buffer.alloc(16, i), path, day, kind: 'human' as const })),
  )
  await dashboard.store.visits.recordBatch('prj_1', toViewBatch(views))
}

/** The rows of the table of pages as text, and its heading of the change. */
async function readPages(query: string) {
  const text = await show(query)
  const table = /<caption class="unseen">Pages<\/caption>.*?<\/table>/s.exec(text)?.[0] ?? ''
  const rows = table
    .split('<tr>')
    .slice(2)
    .map(row => toText(row).trim())
  return { rows, heading: /<th[^>]*>(?:<a[^>]*>)?Change/.exec(table)?.[0] ?? '' }
}

test('the page that lost most is first by the change, also if nobody reads it any more', async () => {
  await record({ '/lost': 9, '/less': 5, '/same': 2 }, today - 7)
  await record({ '/': 1 }, today - 30)
  await record({ '/less': 3, '/same': 2, '/more': 12 }, today)
  const query = '?range=7&compare=previous'
  const usual = await readPages(query)
  expect(usual.rows).toEqual([
    '/more 12 12 0 +12 (new)',
    '/less 3 3 0 -2 (-40 %)',
    '/same 2 2 0 0',
    '/lost 0 0 0 -9 (-100 %)',
  ])
  expect(usual.heading).toContain('&amp;sort=loss#list"')
  const lost = await readPages(`${query}&sort=loss`)
  expect(lost.rows.map(row => row.split(' ')[0])).toEqual(['/lost', '/less', '/same', '/more'])
  expect(lost.heading).toMatch(/aria-sort="ascending"><a href="[^"]*sort=gain#list"/)
  const gained = await readPages(`${query}&sort=gain`)
  expect(gained.rows.map(row => row.split(' ')[0])).toEqual(['/more', '/same', '/less', '/lost'])
  expect(gained.heading).toMatch(/aria-sort="descending"><a href="[^"]*sort=loss#list"/)
  expect((await readPages('?range=7&sort=loss')).rows[0]).toBe('/more 12 12 0')
})

test('days before the first visit are compared with nothing, and the page says so', async () => {
  await record({ '/lost': 9 }, today - 8)
  await record({ '/': 12 }, today)
  for (const list of ['pages', 'agents', 'referrers', 'failures']) {
    const text = toText(await show(`?range=7&compare=previous&sort=loss&list=${list}`))
    expect(text).toContain(
      'Not compared with 2026-11-10 to 2026-11-16, because the visits begin on 2026-11-15. Today is not over, so more visitors may still come.',
    )
    expect(text).not.toMatch(/ %|before:|Total before|Change/)
  }
  expect((await readPages('?range=7&compare=previous&sort=loss')).rows).toEqual(['/ 12 12 0'])
})

test('a comparison says that today is not over, and of days that are over it does not', async () => {
  await record({ '/': 9 }, today - 30)
  await record({ '/': 12 }, today - 1)
  const notOver = 'Today is not over, so more visitors may still come.'
  expect(toText(await show('?range=7&compare=previous'))).toContain(
    `Compared with 2026-11-10 to 2026-11-16. ${notOver}`,
  )
  const over = toText(await show('?range=yesterday&compare=previous'))
  expect(over).toContain('Compared with 2026-11-21 to 2026-11-21.')
  expect(over).not.toContain(notOver)
})

test('today is not compared in percent with a whole day', async () => {
  await record({ '/': 40 }, today - 1)
  await record({ '/': 12 }, today)
  const text = toText(await show('?range=today&compare=previous'))
  expect(text).toContain('so far (before, a whole day: 40)')
  expect(text).toContain('Today is not over, and it is compared with a whole day')
})

test('the numbers of the legend and the bars are told apart', async () => {
  await record({ '/': 12 }, today - 1)
  await record({ '/': 12 }, today)
  const html = await show('?range=7')
  expect(toText(html)).toContain('People 12')
  expect(toText(html)).toContain('A bar counts each visitor of its day once, so the bars may add up to more.')
})
