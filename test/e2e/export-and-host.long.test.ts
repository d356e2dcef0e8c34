import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { startHost } from '../host/host-process.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'

const linkSeconds = 20
let folder: string
let site: Awaited<ReturnType<typeof startSite>>
let server: ServeProcess
let browser: Browser | undefined
let headers: Record<string, string>

async function quire(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runQuire([...args, '--data', join(folder, 'data')])
  expect(code, stderr).toBe(0)
  return stdout.trim()
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-export-and-host-'))
  site = await startSite(12)
  const organization = await quire('orgs', 'create', 'Acme', '--plan', 'enterprise')
  await quire('projects', 'create', 'Docs', '--org', organization)
  await quire('sites', 'create', 'docs.example.com', '--project', 'Docs', '--origin', site.url)
  const { key } = JSON.parse(await quire('keys', 'create', 'pipeline', '--org', organization, '--json'))
  headers = { Authorization: `Bearer ${key}` }
  server = await startServe(['--data', join(folder, 'data'), '--link-ttl-seconds', String(linkSeconds)])
  if (findBrowser()) browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.end('SIGTERM')
  await site?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`${server.url}/v1/static-export/jobs${path}`, {
    ...init,
    headers: { ...headers, 'Content-Type': 'application/json' },
  })
  expect(response.ok, `${path}: ${response.status}`).toBe(true)
  return (await response.json()) as T
}

/** Reads the title of a page, and of the page that its link leads to. */
async function readPages(url: string): Promise<string[]> {
  if (!browser) return []
  const page = await browser.newPage()
  await page.goto(url)
  const titles = [await page.title()]
  await Promise.all([page.waitForNavigation(), page.click('a')])
  titles.push(await page.title())
  await page.close()
  return titles
}

test('a site is exported, hosted from its link, and still there after the link has expired', async context => {
  const { jobId } = await call<{ jobId: string }>('', { method: 'POST', body: '{"domain":"docs.example.com"}' })
  await waitFor(async () => {
    const { status } = await call<{ status: string }>(`/${jobId}`)
    return status === 'completed' ? status : undefined
  })
  const { bundleUrl, sha256, expiresAt } = await call<Record<string, string>>(`/${jobId}/bundle`, { method: 'POST' })
  const hostFolder = join(folder, 'host')
  const env = { QUIRE_HOST_BUNDLE: bundleUrl ?? '' }
  const host = await startHost(['--data', hostFolder, '--sha256', sha256 ?? ''], { env })
  await host.read(output => output.includes('"msg":"serving a version"'))
  const titles = await readPages(host.url)
  await host.end('SIGTERM')
  // From here on, neither the site nor its link is there.
  await site.close()
  await sleep(Date.parse(expiresAt ?? '') - Date.now() + 1500)
  expect((await fetch(bundleUrl ?? '')).status).toBe(403)

  const restarted = await startHost(['--data', hostFolder], { env })
  await restarted.read(output => output.includes('the last good version is served'))
  expect(await readPages(restarted.url)).toEqual(titles)
  const { status } = await fetch(`${restarted.url}/page-11`)
  expect(status).toBe(200)
  expect(restarted.output()).not.toContain(new URL(bundleUrl ?? '').search)
  await restarted.end('SIGTERM')
  if (!browser) context.skip('the pages were not opened, because there is no Chromium')
  expect(titles).toEqual(['Page 0', 'Page 1'])
})
