import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'

let server: TestServer
let dashboard: DashboardTab

beforeAll(async () => {
  if (!findBrowser()) return
  server = await startTestServer()
  const { organizationId } = await createOrganization(server.store)
  const { keyId } = await createApiKey(server.store, organizationId, { expiresAt: Date.now() + 1e9 })
  await server.store.apiKeys.revoke(keyId, Date.now())
  const bounds = { projectIds: ['prj_0f3c9a1b2d4e5f60'], allowedAddresses: ['203.0.113.0/24', '2001:db8:85a3::/48'] }
  await createApiKey(server.store, organizationId, { scopes: ['ingest'], expiresAt: Date.now() + 1e9, ...bounds })
  dashboard = await openDashboardTab(server, organizationId)
})
afterAll(async () => {
  await dashboard?.close()
  await server?.dispose()
})
beforeEach(({ skip }) => {
  if (!dashboard) skip(`needs a Chromium; install one with: ${installCommand()}`)
})

test.each([
  ['/keys', 3],
  ['/people', 2],
  ['/projects', 4],
])('on %s, the buttons of a row are reached without scrolling sideways', async (path, buttons) => {
  const { tab, go, inspect } = dashboard
  await go(path)
  for (const width of [320, 360, 768, 1024, 1280, 1920]) {
    await tab.setViewport({ width, height: 900 })
    const hidden = await tab.$$eval(
      'tbody :is(button, a)',
      all =>
        all.filter(each => {
          const { left, right } = each.getBoundingClientRect()
          const box = each.closest('.list')?.getBoundingClientRect()
          return !box || left < box.left || right > box.right || right > innerWidth
        }).length,
    )
    expect([width, hidden, await tab.$$eval('tbody :is(button, a)', all => all.length)]).toEqual([width, 0, buttons])
  }
  expect(await inspect()).toEqual([])
})

test('a card names its values, and is a row of a table for screen readers', async () => {
  const { tab, go } = dashboard
  await go('/keys')
  await tab.setViewport({ width: 360, height: 900 })
  const named = await tab.$$eval('#list-keys tbody tr:first-child td', cells =>
    cells.map(cell => getComputedStyle(cell, '::before').content),
  )
  expect(named).toEqual([
    '"Key"',
    '"Scopes"',

    '"Created"',
    '"Last used"',
    '"Expires"',
    '"Status"',
    'none',
  ])
  const roles = await tab.accessibility.snapshot({ interestingOnly: false })
  expect(JSON.stringify(roles)).toMatch(/"role":"table".*"role":"row".*"role":"rowheader"/)
})
