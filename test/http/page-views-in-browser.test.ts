import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { viewScript } from '../../server/analytics/view-script.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { useExtensionsServer } from '../support/extensions-server.ts'
import { createApiKey } from '../support/server.ts'

const used = useExtensionsServer()
let browser: Browser
let site: RunningServer

beforeAll(async () => {
  if (!findBrowser()) return
  const { server, organizationId, projectId } = used
  await server.store.sites.insert({ domain: '127.0.0.1', projectId, origin: null, createdAt: 0 })
  const bound = { scopes: ['count' as const], projectIds: [projectId] }
  const { key } = await createApiKey(server.store, organizationId, bound)
  const to = `${server.url}/quire/v1/projects/${projectId}/page-views?key=${key}`
  const page = `<!doctype html><title>Docs</title><script src="/views.js" data-to="${to}" defer></script><h1>Docs</h1>`
  site = await startServer(({ url }, res) => {
    const isScript = url === '/views.js'
    res.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
    res.end(isScript ? viewScript : page)
  })
  browser = await openBrowser()
})
beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

test('the pages that a reader opens on a registered site count through the API of another origin', async () => {
  const tab = await browser.newPage()
  // A headless browser says that it is a program.
  await tab.setUserAgent({ userAgent: (await browser.userAgent()).replace('Headless', '') })
  const problems: string[] = []
  tab.on('console', message => problems.push(message.text()))
  await tab.goto(new URL('/guide', site.origin).href, { waitUntil: 'networkidle0' })
  await tab.evaluate(() => history.pushState({}, '', '/guide/next?tab=1#part'))
  const { visits } = used.server.store
  const counted = await waitFor(async () => {
    const counts = await visits.countUniqueVisitors(used.projectId, {}, { limit: 10, offset: 0 })
    return counts.visitors.length === 2 ? counts : undefined
  })
  expect(counted).toMatchObject({
    totals: { human: 1, ai: 0, total: 1 },
    visitors: [{ path: '/guide' }, { path: '/guide/next' }],
  })
  expect(problems).toEqual([])
  await tab.close()
})
