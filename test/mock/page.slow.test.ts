import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer'
import { type OutputChunk, rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { generated } from '../../mock/both-documents.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createMock } from '../../spec/package/mock/index.ts'
import { createMovingServer } from '../../spec/package/mock-server/moving.ts'
import { startServer } from '../export/static-server.ts'
import { createApiKey, createOrganization, startTestServer } from '../support/server.ts'

const workerFile = createRequire(import.meta.url).resolve('msw/mockServiceWorker.js')

let browser: Browser
let pages: Server
let mock: Server
let pagesUrl: string
let mockUrl: string

async function bundle(name: string): Promise<string> {
  const bundled = await rolldown({ input: join(import.meta.dirname, 'page', name), platform: 'browser' })
  const { output } = await bundled.generate({ format: 'esm', codeSplitting: false })
  await bundled.close()
  return (output[0] as OutputChunk).code
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  const executablePath = findBrowser()
  if (!executablePath) return
  const scripts = new Map<string, string>([
    ['/with-server.js', await bundle('with-server.ts')],
    ['/with-worker.js', await bundle('with-worker.ts')],
    ['/mockServiceWorker.js', readFileSync(workerFile, 'utf8')],
  ])
  pages = createServer((req, res) => {
    const [path = '/'] = (req.url ?? '/').split('?')
    const script = scripts.get(path)
    res.setHeader('Content-Type', script === undefined ? 'text/html; charset=utf-8' : 'text/javascript')
    res.end(
      script ??
        `<!doctype html><html lang="en"><link rel="icon" href="data:,"><body><ul></ul><script type="module" src="${path}.js"></script></body></html>`,
    )
  })
  pagesUrl = await listen(pages)
  mock = createMovingServer({
    documents: generated,
    mock: createMock({ scenario: 'rate-limit', stepSeconds: 1 }),
    allowsOrigin: origin => origin === pagesUrl,
  })
  mockUrl = await listen(mock)
  browser = await puppeteer.launch({ executablePath, pipe: true, args: ['--no-sandbox'] })
})

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterAll(async () => {
  await browser?.close()
  for (const server of [pages, mock]) {
    server?.closeAllConnections()
    server?.close()
  }
})

async function read(path: string): Promise<string[]> {
  const page = await browser.newPage()
  const errors: unknown[] = []
  page.on('pageerror', error => errors.push(error))
  await page.goto(pagesUrl + path)
  await page.waitForSelector('[data-done]', { timeout: 60_000 })
  const lines = await page.$$eval('li', items => items.map(item => item.textContent ?? ''))
  await page.close()
  expect(errors).toEqual([])
  return lines
}

const seen = [
  'Location /v1/static-export/jobs/JOB_ID',
  'queued running completed',
  'bundle 200 whole attachment; filename="docs.example.com-JOB_ID.zip"',
  'visitors 200 304, counted again 200',
  expect.stringMatching(/^429 Retry-After \d+$/),
]

test('a page of another origin polls an export, downloads its bundle and shows a 429', async () => {
  expect(await read(`/with-server?api=${mockUrl}`)).toEqual(seen)
})

test('the same page works with the real server and --cors-origin', async () => {
  const site = await startServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html')
    res.end('<!doctype html><html lang="en"><title>Docs</title><h1>Docs</h1><p>One page with some text.</p></html>')
  })
  const server = await startTestServer({ corsOrigin: [pagesUrl] })
  try {
    const { organizationId, projectId } = await createOrganization(server.store)
    const origin = site.origin.href
    await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin, createdAt: Date.now() })
    const { key } = await createApiKey(server.store, organizationId)
    const lines = await read(`/with-server?api=${server.url}&key=${key}&project=${projectId}`)
    // How many states a page sees depends on how fast the server works.
    expect(lines[1]).toMatch(/^(?:queued )?(?:running )?completed$/)
    expect(lines.toSpliced(1, 1)).toEqual(seen.toSpliced(1, 1))
  } finally {
    await server.dispose()
    await site.close()
  }
})

test('the same page works with the service worker of MSW, without a server', async () => {
  expect(await read('/with-worker')).toEqual(seen)
})
