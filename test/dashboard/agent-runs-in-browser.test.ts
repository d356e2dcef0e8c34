import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createDocsRepository, type DocsRepository } from '../support/docs-repository.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'

let server: TestServer
let repository: DocsRepository
let organizationId: string
let projectId: string
let dashboard: DashboardTab

/** Elements, a mark that turns the direction of text, a control character, and a word that is wider than any screen. */
const hostile = `<img src=x onerror=alert(1)></pre></textarea>\u202egnp.exe\u001b[2J${'W'.repeat(3000)}`

beforeAll(async () => {
  if (!findBrowser()) return
  server = await startTestServer({ agent: 'demo', agentUnconfined: true })
  repository = createDocsRepository({ 'docs/a.md': `# A\n\nThis is teh page.\n${hostile}\n` })
})
afterAll(async () => {
  await server?.dispose()
  repository?.dispose()
})
beforeEach(async ({ skip }) => {
  if (!server) return skip(`needs a Chromium; install one with: ${installCommand()}`)
  ;({ organizationId, projectId } = await createOrganization(server.store))
  const source = { projectId, url: repository.path, page: 'https://git.example.com/acme/docs', branch: 'main' }
  await server.store.agentSources.put({ ...source, folders: [], forge: 'branch', isDraft: false }, null)
  dashboard = await openDashboardTab(server, organizationId)
})
afterEach(() => dashboard?.close())

test('a job is started in a form and watched without loading its page again, whatever its texts are', async () => {
  const { tab, go, press, words, inspect, faults } = dashboard
  const asked: string[] = []
  tab.on('dialog', dialog => {
    asked.push(dialog.message())
    void dialog.dismiss()
  })
  await go('/agent-jobs')
  const suggestion = await tab.$eval('#field-prompt', field => (field as HTMLTextAreaElement).value)
  const more = `${suggestion}\nreplace "${hostile}" with "${hostile}!"`
  await tab.$eval('#field-prompt', (field, text) => ((field as HTMLTextAreaElement).value = text), more)
  await press('Start the job')
  const address = tab.url()
  await tab.evaluate(() => document.body.setAttribute('data-same', ''))
  await tab.waitForSelector('#agent-change ins', { timeout: 60_000 })
  await tab.waitForSelector('#agent-message form')
  expect([tab.url(), await tab.$('[data-same]')]).toEqual([address, expect.anything()])
  expect(await words()).toMatch(/completed\s+The change is ready for review\. Changed 1 file: /)
  expect(await tab.$eval('#agent-change', part => part.textContent)).toContain('-This is teh page.\n')
  expect(await tab.$eval('#agent-log', part => part.textContent)).toContain('\\u202egnp.exe\\u001b[2J')
  expect(await tab.$$('main img')).toEqual([])
  expect(await inspect()).toEqual([])
  await go('/agent-jobs')
  expect(await inspect()).toEqual([])
  expect([asked, faults]).toEqual([[], []])
})
