import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'

let server: TestServer
let opened: DashboardTab | undefined

beforeAll(async () => {
  if (!findBrowser()) return
  server = await startTestServer()
  const { organizationId } = await createOrganization(server.store)
  opened = await openDashboardTab(server, organizationId)
})
afterAll(async () => {
  await opened?.close()
  await server?.dispose()
})
beforeEach(({ skip }) => {
  if (!opened) skip(`needs a Chromium; install one with: ${installCommand()}`)
})

test('Ctrl K finds pages of the dashboard by their names, and the documentation', async () => {
  const { tab, go, faults } = opened as DashboardTab
  await go('/')
  await tab.keyboard.down('Control')
  await tab.keyboard.press('k')
  await tab.keyboard.up('Control')
  const first = 'quire-search >>> [role=option][aria-selected=true]'
  await tab.waitForSelector(first)
  await tab.keyboard.type('audit')
  await tab.waitForSelector('quire-search >>> mark')
  expect(await tab.$eval(first, option => option.textContent)).toBe('Audit log (dashboard)')
  const addresses = await tab.$$eval('quire-search >>> [role=option]', all =>
    all.map(option => new URL((option as HTMLAnchorElement).href).pathname),
  )
  expect(addresses.some(path => path.startsWith('/docs/'))).toBe(true)
  await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
  expect(new URL(tab.url()).pathname).toMatch(/^\/dashboard\/org_\w+\/audit$/)
  expect(faults).toEqual([])
})

test('Esc closes the search and the list of keys, and the focus goes back', async () => {
  const { tab, go, faults } = opened as DashboardTab
  await tab.setViewport({ width: 1280, height: 800 })
  await go('/keys')
  const focused = () => tab.evaluate(() => document.activeElement?.textContent)
  for (const opener of ['k', '?'] as const) {
    await tab.focus('.side [data-go=u]')
    if (opener === 'k') await tab.keyboard.down('Control')
    await tab.keyboard.press(opener)
    await tab.keyboard.up('Control')
    await expect.poll(focused).toBe(opener === 'k' ? '' : 'Close')
    await tab.keyboard.press('Escape')
    await expect.poll(focused).toBe('People')
  }
  // On a small screen, the button that lists the keys is in the menu.
  await tab.setViewport({ width: 360, height: 740 })
  await tab.click('.menu summary')
  await tab.click('.menu [data-keys]')
  expect(await focused()).toBe('Close')
  await tab.keyboard.press('Escape')
  await tab.setViewport({ width: 1280, height: 800 })
  expect(faults).toEqual([])
})

test('Enter in the search of a list filters the list, and opens no dialog', async () => {
  const { tab, go, faults } = opened as DashboardTab
  await go('/keys?keys-find=dep')
  await tab.focus('form.tools input[name=keys-find]')
  await tab.keyboard.press('End')
  await tab.keyboard.type('loy')
  await Promise.all([tab.waitForNavigation({ timeout: 10_000 }), tab.keyboard.press('Enter')])
  expect(new URL(tab.url()).searchParams.get('keys-find')).toBe('deploy')
  expect(faults).toEqual([])
})
