import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { unpackArchive } from '../export/read-archive.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'

const domain = 'docs.example.com'
const pageCount = 12

let server: TestServer
let site: Awaited<ReturnType<typeof startSite>>
let organizationId: string
let projectId: string
let dashboard: DashboardTab | undefined
let folder: string

beforeAll(async () => {
  if (!findBrowser()) return
  folder = mkdtempSync(join(tmpdir(), 'quire-downloads-'))
  server = await startTestServer({ verify: 'static' })
  // Slow enough that a person sees the progress.
  site = await startSite(pageCount, { delayMs: 400 })
  ;({ organizationId, projectId } = await createOrganization(server.store))
  await server.store.sites.insert({ domain, projectId, origin: site.url, createdAt: 0 })
  dashboard = await openDashboardTab(server, organizationId)
})
afterAll(async () => {
  await dashboard?.close()
  await site?.close()
  await server?.dispose()
  if (folder) rmSync(folder, { recursive: true, force: true })
})
beforeEach(context => {
  if (!dashboard) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

const open = () => dashboard as DashboardTab

/** Notes what the page shows and announces from now on. A reload would lose the notes. */
function watch(): Promise<void> {
  return open().tab.evaluate(() => {
    const shown: { percents: number[]; announced: string[]; rates: string[] } = {
      percents: [],
      announced: [],
      rates: [],
    }
    Object.assign(globalThis, { shown })
    const note = <T>(list: T[], value: T) => list.at(-1) !== value && list.push(value)
    const status = document.querySelector('#export-state')?.parentElement
    const announce = () => note(shown.announced, status?.textContent ?? '')
    if (status) new MutationObserver(announce).observe(status, { childList: true, subtree: true, characterData: true })
    setInterval(() => {
      const bar = document.querySelector('progress')
      if (bar) note(shown.percents, bar.value)
      const rate = /[\d.]+ pages a second/.exec(document.body.innerText)?.[0]
      if (rate) note(shown.rates, rate)
    }, 100)
  })
}

test('an export is started in the form and watched without a reload until it is completed', async () => {
  const { tab, go, press, words, inspect } = open()
  await go('/exports')
  expect(await words()).toContain('There are no exports yet.')
  await tab.click('form details summary')
  await tab.type('#field-version', 'Release 1')
  expect(await inspect()).toEqual([])
  await press('Start the export')
  expect(new URL(tab.url()).pathname).toMatch(/\/exports\/se_[0-9a-f]{16}$/)
  await watch()
  await tab.waitForSelector('progress')
  expect(await inspect()).toEqual([])
  await tab.waitForFunction('document.querySelector("#export-state").textContent.includes("completed")')

  const shown = await tab.evaluate(
    () => (globalThis as unknown as { shown: Record<'percents' | 'announced' | 'rates', unknown[]> }).shown,
  )
  expect(shown.percents.length).toBeGreaterThan(2)
  expect(shown.percents).toEqual(shown.percents.toSorted((a, b) => Number(a) - Number(b)))
  expect(shown.rates.length).toBeGreaterThan(0)
  expect(shown.announced.length).toBeLessThanOrEqual(2)
  expect(shown.announced.at(-1)).toContain('The export is completed.')
  const text = await words()
  expect(text).toMatch(new RegExp(`Pages\\s+${pageCount}\\s`))
  expect(text).toContain('Release 1')
  expect(text).toContain('the first export of these pages')
  expect(text).toContain('Report')
  expect(await tab.$('[data-live]')).toBeNull()
  expect(await inspect()).toEqual([])
})

/** Downloads into a new folder. Returns the path of the file. */
async function download(name: string, begin: () => Promise<void>): Promise<string> {
  const downloadPath = join(folder, name)
  mkdirSync(downloadPath)
  const session = await open().tab.createCDPSession()
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath })
  await begin()
  const file = await waitFor(async () => readdirSync(downloadPath).find(file => file.endsWith('.zip')))
  await session.detach()
  return join(downloadPath, file)
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('its link counts down, and its bundle is downloaded, unpacked and opened', async () => {
  const { tab, press, words, inspect } = open()
  await press('Make a link')
  expect(await inspect()).toEqual([])
  const left = () => tab.$eval('time[data-until]', time => time.textContent)
  const first = await left()
  expect(first).toMatch(/^in 59 min \d+ s$/)
  await tab.waitForFunction(text => document.querySelector('time[data-until]')?.textContent !== text, {}, first)
  const link = await tab.$eval('#bundle-url', code => code.textContent ?? '')
  const [job] = await server.store.exportJobs.list({ organizationId })
  expect(await words()).toContain(job?.bundle?.sha256)

  const file = await download('with-link', () => tab.click('a[download]'))
  expect(digest(readFileSync(file))).toBe(job?.bundle?.sha256)
  // Also without the cookie of the session.
  expect(digest(await (await fetch(link)).bytes())).toBe(job?.bundle?.sha256)

  unpackArchive(file, join(folder, 'bundle'))
  const reader = await tab.browser().newPage()
  await reader.goto(pathToFileURL(join(folder, 'bundle', 'index.html')).href)
  expect(await reader.$eval('h1', heading => heading.textContent)).toBe('Page 0')
  await Promise.all([reader.waitForNavigation(), reader.click('a[href*="page-1"]')])
  expect(await reader.$eval('h1', heading => heading.textContent)).toBe('Page 1')
  await reader.close()
})

test('the bundle is also downloaded without a link', async () => {
  const { tab, go } = open()
  const [job] = await server.store.exportJobs.list({ organizationId })
  await go(`/exports/${job?.jobId}`)
  const file = await download('without-link', () => tab.click('form[action$="/download"] button'))
  expect(basename(file)).toBe(`${domain}-${job?.jobId}.zip`)
  expect(digest(readFileSync(file))).toBe(job?.bundle?.sha256)
})

test('an export is started again with its settings, and its list renews itself', async () => {
  const { tab, press, inspect, go } = open()
  await press('Export again')
  expect(await tab.$eval('#field-version', field => (field as HTMLInputElement).value)).toBe('Release 1')
  await press('Start the export')
  await go('/exports')
  await watch()
  await tab.waitForFunction('!document.querySelector("#exports[data-live]")')
  expect(await tab.evaluate(() => 'shown' in globalThis)).toBe(true)
  expect(await tab.$$eval('#exports .state', states => states.map(state => state.textContent))).toEqual([
    'completed',
    'completed',
  ])
  expect(await tab.$eval('#exports tbody tr', row => (row as HTMLElement).innerText)).toContain('no page changed')
  expect(await inspect()).toEqual([])
})

test('the page of what changed says that nothing did', async () => {
  const { tab, go, press, words, inspect } = open()
  const jobs = await server.store.exportJobs.list({ organizationId })
  await go(`/exports/${jobs[0]?.jobId}`)
  await press('What changed')
  await tab.waitForFunction('!document.querySelector("[data-live]")')
  expect(await words()).toMatch(/Changed pages\s+0[\s\S]*Unchanged pages\s+[1-9]/)
  expect(await inspect()).toEqual([])
})

test('an export with a link is deleted after a second question', async () => {
  const { tab, go, press, words, inspect } = open()
  const jobs = await server.store.exportJobs.list({ organizationId })
  await go(`/exports/${jobs[1]?.jobId}`)
  const asked: string[] = []
  tab.once('dialog', dialog => {
    asked.push(dialog.message())
    void dialog.accept()
  })
  await press('Delete the export')
  expect(asked).toEqual(['Delete this export and its bundle? This cannot be undone.'])
  expect(await words()).toContain('A link to this bundle still works')
  expect(await inspect()).toEqual([])
  await press('Delete it although a link works')
  expect(await words()).toContain('The export and its bundle are deleted.')
  expect(await server.store.exportJobs.list({ organizationId })).toHaveLength(1)
})

test('an agent job appears without a reload, and is archived', async () => {
  const { tab, go, press, words, inspect } = open()
  await go('/agent-jobs')
  expect(await words()).toContain('npx quire agent-jobs create')
  expect(await inspect()).toEqual([])
  await server.store.agentJobs.insert({
    projectId,
    id: 'aj_seen',
    status: 'completed',
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    model: 'writer-2',
    prLink: 'https://git.example.com/acme/docs/pull/7',
    createdAt: Date.now(),
    archivedAt: null,
  })
  await tab.waitForSelector('#agent-jobs table')
  // The list is read again, and a part that is still the same is not replaced.
  await tab.$eval('#agent-jobs', part => part.setAttribute('data-kept', ''))
  await tab.waitForResponse(answer => answer.url().endsWith('/agent-jobs'))
  await tab.waitForNetworkIdle({ idleTime: 200 })
  expect(await tab.$('#agent-jobs[data-kept]')).not.toBeNull()
  expect(await inspect()).toEqual([])
  await press('aj_seen')
  expect(await tab.$eval('#agent-job dd a', link => link.getAttribute('href'))).toBe(
    'https://git.example.com/acme/docs/pull/7',
  )
  expect(await inspect()).toEqual([])
  await press('Archive the job')
  expect(await words()).toContain('The job is archived.')
  expect((await server.store.agentJobs.find(projectId, 'aj_seen'))?.status).toBe('archived')
})

test('no page had an error, or asked another server', () => {
  // The page that asks a second time before an export is deleted.
  const isExpected = (fault: string) => /status of 409 .*\/delete$/.test(fault)
  expect(open().faults.filter(fault => !isExpected(fault))).toEqual([])
})
