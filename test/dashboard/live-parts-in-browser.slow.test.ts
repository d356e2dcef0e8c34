import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'

let server: TestServer
let organizationId: string
let projectId: string
let dashboard: DashboardTab

beforeAll(async () => {
  if (findBrowser()) server = await startTestServer()
})
afterAll(() => server?.dispose())
beforeEach(async ({ skip }) => {
  if (!server) return skip(`needs a Chromium; install one with: ${installCommand()}`)
  ;({ organizationId, projectId } = await createOrganization(server.store))
  dashboard = await openDashboardTab(server, organizationId, { operator: true })
})
afterEach(() => dashboard?.close())

const addJob = (id: string) =>
  server.store.agentJobs.insert({
    projectId,
    id,
    status: 'completed',
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    model: 'writer-2',
    prLink: null,
    createdAt: Date.now(),
    archivedAt: null,
  })

/** Waits until the page says the one sentence about its renewal, and returns it. */
async function waitForTrouble(): Promise<string> {
  const shown = await dashboard.tab.waitForSelector('.renewal .notice:not([hidden])', { timeout: 20_000 })
  return shown?.evaluate(notice => (notice as HTMLElement).innerText) ?? ''
}

test('a page says that the server cannot be reached, and goes on when it can', { timeout: 60_000 }, async () => {
  const { tab, go, words, inspect } = dashboard
  await go('/agent-jobs')
  expect(await words()).not.toContain('cannot be reached')
  await tab.setOfflineMode(true)
  expect(await waitForTrouble()).toContain('The server cannot be reached, so this page may be out of date.')
  expect(await inspect()).toEqual([])
  await addJob('aj_late')
  await tab.setOfflineMode(false)
  await tab.waitForSelector('#agent-jobs table', { timeout: 20_000 })
  expect(await words()).toContain('aj_late')
  expect(await words()).not.toContain('cannot be reached')
})

test('a page of a proxy in place of the server is no answer', { timeout: 60_000 }, async () => {
  const { tab, go } = dashboard
  await go('/agent-jobs')
  await tab.setRequestInterception(true)
  tab.on('request', request => {
    void request.respond({ status: 200, contentType: 'text/html', body: '<h1>We will be back soon</h1>' })
  })
  expect(await waitForTrouble()).toContain('The server cannot be reached')
})

test('a page says that the session has ended, and leads to the page to sign in', { timeout: 60_000 }, async () => {
  const { tab, go, press, words, person } = dashboard
  await addJob('aj_seen')
  await go('/agent-jobs')
  for (const { id } of await server.store.sessions.list(person.id, Date.now())) await server.store.sessions.end(id)
  expect(await waitForTrouble()).toBe('You are no longer signed in, so this page does not renew itself. Sign in')
  // What a person typed or reads stays.
  expect(await words()).toContain('aj_seen')
  await press('Sign in')
  expect(new URL(tab.url()).pathname).toBe('/dashboard/sign-in')
})

test('a page says that what it shows is gone', { timeout: 60_000 }, async () => {
  await dashboard.go('/agent-jobs')
  await server.store.organizationRemoval.begin(organizationId, Date.now())
  await server.store.organizationRemoval.finish(organizationId)
  expect(await waitForTrouble()).toContain('What this page shows was deleted, or you may no longer see it.')
})

test('only with scripts, a page says that it renews itself', async () => {
  const { tab, go, words } = dashboard
  await go('/')
  expect(await words()).toContain('This page renews itself every 10 seconds, and its visitors every minute.')
  expect(await words()).not.toContain('Scripts are off')
  await tab.setJavaScriptEnabled(false)
  for (const path of ['/', '/agent-jobs']) {
    await go(path)
    expect(await words()).not.toContain('renews itself every')
    expect(await words()).toContain('Scripts are off in this browser, so this page does not renew itself.')
  }
  await go('/people')
  expect(await words()).not.toContain('Scripts are off')
})
