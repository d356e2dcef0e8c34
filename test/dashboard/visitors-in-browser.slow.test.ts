import type { HTTPRequest } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { formatDay, toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { seedDemo } from '../../server/commands/demo/seed.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'

let server: TestServer
let demo: Awaited<ReturnType<typeof seedDemo>>
let dashboard: DashboardTab | undefined

beforeAll(async () => {
  if (!findBrowser()) return
  server = await startTestServer()
  const { store, dataFolder } = server
  demo = await seedDemo(store, { dataFolder, keyPrefix: 'quire_', now: Date.now(), newKey: false })
  dashboard = await openDashboardTab(server, demo.organizationId)
})
afterAll(async () => {
  await dashboard?.close()
  await server?.dispose()
})
beforeEach(context => {
  if (!dashboard) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

const open = () => dashboard as DashboardTab
/** The numbers of the three cards. */
const readFigures = () =>
  open().tab.$$eval('.cards .figure', figures =>
    figures.map(({ textContent }) => Number(textContent?.replaceAll(',', ''))),
  )
/** The first cells of the rows in the table of pages. */
const readPaths = () =>
  open().tab.$$eval('table', tables => {
    const pages = tables.find(({ caption }) => caption?.textContent === 'Pages')
    return [...(pages?.querySelectorAll('tbody th') ?? [])].map(({ textContent }) => textContent)
  })

/** Lets the pages wait for half a second where they would wait longer. */
async function hurry(): Promise<() => Promise<void>> {
  const { tab } = open()
  const { identifier } = await tab.evaluateOnNewDocument(() => {
    const wait = setTimeout
    Object.assign(globalThis, { setTimeout: (run: () => void, ms: number) => wait(run, Math.min(ms, 500)) })
  })
  return () => tab.removeScriptToEvaluateOnNewDocument(identifier)
}

/** Asks the API, as a program would. */
async function ask(range: { dateFrom?: string; dateTo?: string }) {
  const query = new URLSearchParams({ ...range, limit: '10' })
  const answer = await fetch(`${server.url}/v1/analytics/${demo.projectId}/visitors?${query}`, {
    headers: { Authorization: `Bearer ${demo.key}` },
  })
  return (await answer.json()) as {
    totals: { human: number; ai: number; total: number }
    visitors: { path: string }[]
  }
}

test('for three ranges, the page has the numbers and the pages that the API answers', async () => {
  const { tab, go, press } = open()
  const today = toDay(Date.now())
  const seen = new Set<number>()
  const compare = async (range: Parameters<typeof ask>[0]) => {
    const { totals, visitors } = await ask(range)
    expect(await readFigures()).toEqual([totals.human, totals.ai, totals.total])
    expect(await readPaths()).toEqual(visitors.map(({ path }) => path))
    seen.add(totals.total)
  }
  await go('/visitors')
  await press('7 days')
  await compare({ dateFrom: formatDay(today - 6), dateTo: formatDay(today + 1) })
  await press('All')
  await compare({})
  const [first, last] = [formatDay(today - 20), formatDay(today - 11)]
  await tab.click('.other-days summary')
  await tab.$eval('[name=from]', (field, value) => Object.assign(field, { value }), first)
  await tab.$eval('[name=to]', (field, value) => Object.assign(field, { value }), last)
  await press('Show')
  expect(await open().words()).toContain(`Visitors from ${first} to ${last} (UTC)`)
  await compare({ dateFrom: first, dateTo: formatDay(today - 10) })
  expect(seen.size).toBe(3)
})

test('headings sort all pages, and a text narrows them', async () => {
  const { tab, go, press } = open()
  await go('/visitors?all=1')
  await Promise.all([tab.waitForNavigation(), tab.click('th a[href*="sort=path"]')])
  const paths = await readPaths()
  expect(paths.length).toBeGreaterThan(10)
  expect(paths).toEqual(paths.toSorted())
  expect(await tab.$eval('th[aria-sort]', ({ textContent }) => textContent)).toBe('Page')
  await tab.type('#find', 'OPERATIONS')
  await press('Find')
  const found = await readPaths()
  expect(found).toEqual(paths.filter(path => path?.includes('operations')))
  expect(found.length).toBeGreaterThan(1)
  await press('Show all pages')
  expect(await readPaths()).toEqual(paths)
})

test.each(['light', 'dark'])('the chart is drawn in the %s colours of the style sheet', async scheme => {
  const { tab, go } = open()
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme === 'dark' ? 'light' : 'dark' }])
  await go('/visitors')
  await tab.waitForSelector('.chart canvas')
  // The system changes while the page is open.
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  const drawn = () =>
    tab.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')
      const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      const colours = new Set<string>()
      for (let i = 0; i < pixels.length; i += 4)
        if (pixels[i + 3] === 255) colours.add([...pixels.slice(i, i + 3)].join())
      return [...colours]
    })
  const want = scheme === 'dark' ? ['122,184,255', '255,176,103'] : ['11,92,173', '154,74,0']
  await expect.poll(drawn, { timeout: 10_000 }).toEqual(expect.arrayContaining(want))
})

test('below the pointer, the chart names the day and its values', async () => {
  const { tab, go } = open()
  await tab.setViewport({ width: 1280, height: 1400 })
  await go('/visitors?range=7&compare=previous')
  const box = await (await tab.waitForSelector('.chart .u-over'))?.boundingBox()
  if (!box) throw new Error('There is no chart.')
  await tab.mouse.move(box.x + box.width - 20, box.y + 50)
  const shown = await tab.waitForSelector('.tooltip:not([hidden])')
  const today = formatDay(toDay(Date.now()))
  expect(await shown?.evaluate(({ textContent }) => textContent)).toMatch(
    new RegExp(`^${today} \\(so far\\)\nPeople \\d+\nAI \\d+\nTotal \\d+\nTotal before \\d+$`),
  )
})

test('keys filter, compare, move the days, open pages and are listed', async () => {
  const { tab, go } = open()
  await tab.setViewport({ width: 1280, height: 900 })
  const type = async (...keys: Parameters<typeof tab.keyboard.press>[0][]) => {
    const done = tab.waitForNavigation()
    for (const key of keys) await tab.keyboard.press(key)
    await done
    return new URL(tab.url())
  }
  await go('/visitors?range=7&agent=GPTBot')
  expect((await type('Escape')).searchParams.has('agent')).toBe(false)
  expect((await type('x')).searchParams.get('compare')).toBe('previous')
  expect((await type('x')).searchParams.has('compare')).toBe(false)
  expect((await type('ArrowLeft')).searchParams.get('to')).toBe(formatDay(toDay(Date.now()) - 7))
  expect((await type('ArrowRight')).searchParams.get('to')).toBe(formatDay(toDay(Date.now())))
  await tab.keyboard.press('/')
  await tab.keyboard.type('x?g')
  expect(await tab.$eval('#find', field => (field as HTMLInputElement).value)).toBe('x?g')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('?')
  await tab.waitForSelector('dialog[open]')
  expect(await tab.$eval('dialog', ({ textContent }) => textContent)).toContain('g vVisitors')
  expect(await open().inspect()).toEqual([])
  await tab.keyboard.press('Escape')
  await tab.waitForSelector('dialog', { hidden: true })
  expect((await type('g', 'e')).pathname).toMatch(/\/exports$/)
})

test('keys that are held, without a visible target, or turned off do nothing', async () => {
  const { tab, go, inspect } = open()
  /** Whether a key does something. */
  const isUsed = (init: KeyboardEventInit) =>
    tab.evaluate(
      init => !document.body.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true })),
      init,
    )
  await go('/visitors?list=agents&range=7')
  expect(await isUsed({ key: 'ArrowLeft', shiftKey: true })).toBe(false)
  expect(await isUsed({ key: 'x', repeat: true })).toBe(false)
  expect(await isUsed({ key: '/' })).toBe(false)
  expect(await isUsed({ key: '?' })).toBe(true)
  expect(await tab.$eval('dialog', ({ textContent }) => textContent)).not.toContain('first field')
  await tab.click('dialog [type=checkbox]')
  expect(await inspect()).toEqual([])
  await tab.keyboard.press('Escape')
  await go('/visitors')
  expect(await isUsed({ key: '?' })).toBe(false)
  expect(await isUsed({ key: '/' })).toBe(false)
  await tab.click('[data-keys]')
  await tab.click('dialog [type=checkbox]')
  await tab.keyboard.press('Escape')
  expect(await isUsed({ key: '/' })).toBe(true)
})

test('a renewed chart ends the one before it', async () => {
  const { tab, go } = open()
  const slowDown = await hurry()
  const readOld = () =>
    tab.evaluate(() => {
      const { old } = globalThis as unknown as { old: HTMLElement }
      return { isShown: old.isConnected, charts: old.querySelectorAll('.uplot').length }
    })
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
  await go('/visitors')
  await tab.waitForSelector('.chart canvas')
  await tab.evaluate(() => Object.assign(globalThis, { old: document.querySelector('.chart') }))
  expect(await readOld()).toEqual({ isShown: true, charts: 1 })
  const view = { visitor: Buffer.alloc(16, 255), path: '/', day: toDay(Date.now()), kind: 'human' as const }
  await server.store.visits.recordBatch(demo.projectId, toViewBatch([view]))
  await expect.poll(readOld, { timeout: 20_000 }).toEqual({ isShown: false, charts: 0 })
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
  await tab.waitForSelector('.chart canvas')
  expect(await readOld()).toEqual({ isShown: false, charts: 0 })
  await slowDown()
})

test('the overview asks for its readers in each sixth renewal', async () => {
  const { tab, go } = open()
  const slowDown = await hurry()
  const asked: (string | null)[] = []
  const note = (request: HTTPRequest) => {
    if (request.resourceType() === 'fetch') asked.push(new URL(request.url()).searchParams.get('renew'))
  }
  tab.on('request', note)
  await go('/')
  await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThan(7)
  tab.off('request', note)
  const often = 'overview-alerts,overview'
  expect(asked.slice(0, 7)).toEqual([often, often, often, often, often, null, often])
  await slowDown()
})

test.each([360, 768, 1920])('nothing moves when the chart is drawn, at %d px', async width => {
  const { tab, go } = open()
  await tab.setViewport({ width, height: 3000 })
  const { identifier } = await tab.evaluateOnNewDocument(() => {
    const note = { moved: 0 }
    Object.assign(globalThis, { note })
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) note.moved += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await go('/visitors')
  await tab.waitForSelector('.chart canvas')
  // The observer is called after the next frame.
  await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 100))))
  expect(await tab.evaluate(() => (globalThis as unknown as { note: { moved: number } }).note.moved)).toBe(0)
  await tab.removeScriptToEvaluateOnNewDocument(identifier)
})

test('the overview renews itself without a reload', async () => {
  const { tab, go, words } = open()
  await go('/')
  await tab.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
  expect(await words()).toContain('Signed in')
  await server.store.auditLog.append({
    at: Date.now(),
    organizationId: demo.organizationId,
    action: 'key.revoked',
    subject: 'key_1',
    detail: 'appended meanwhile',
    actor: 'Ann (usr_1)',
    address: '192.0.2.1',
  })
  await expect.poll(words, { timeout: 30_000 }).toContain('appended meanwhile')
  expect(await tab.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
})

test.each([
  '/',
  '/health',
  '/visitors?compare=previous&page=/docs&agent=GPTBot',
  '/visitors?list=agents',
  '/visitors?list=failures&referrer=chatgpt.com',
  '/visitors?range=custom&from=x',
  '/audit',
])(
  '%s has no violations and no sideways scrolling, at all widths, light and dark, and asks no other server',
  async path => {
    const { faults, go, inspect } = open()
    faults.length = 0
    await go(path)
    expect(await inspect()).toEqual([])
    // The browser notes a page with the status 400 as an error.
    expect(faults.filter(fault => !fault.includes('400 (Bad Request)'))).toEqual([])
  },
)
