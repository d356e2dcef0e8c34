import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listPages } from '../../server/docs/sitemap.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { files } from './shipped-documentation.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const small = { width: 360, height: 740 }
const wide = { width: 1280, height: 900 }

let server: TestServer
let browser: Browser | undefined
let tab: Page
const faults: string[] = []

beforeAll(async () => {
  if (!findBrowser()) return
  server = await startTestServer()
  browser = await openBrowser()
  tab = await browser.newPage()
  tab.on('pageerror', error => faults.push(String(error)))
  tab.on('console', message => {
    // Browsers request an icon, which does not exist.
    if (message.type() === 'error' && !message.location().url?.endsWith('/favicon.ico')) faults.push(message.text())
  })
})
afterAll(async () => {
  await browser?.close()
  await server?.dispose()
})
beforeEach(context => {
  if (!browser) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

const go = (path: string) => tab.goto(server.url + path, { waitUntil: 'load' })

/** Runs axe and returns one text per violation. */
async function findViolations(): Promise<string[]> {
  const { violations, passes } = (await tab.evaluate(`(() => { ${axe} })(); window.axe.run(document)`)) as AxeResults
  expect(passes.length).toBeGreaterThan(10)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

const views = [
  { viewport: small, scheme: 'light' },
  { viewport: small, scheme: 'dark' },
  { viewport: wide, scheme: 'light' },
  { viewport: wide, scheme: 'dark' },
]

test.each([...listPages(files), '/docs/search?q=server'])(
  '%s has no axe violations, and does not scroll horizontally, at both widths, in light and dark',
  async path => {
    await go(path)
    for (const { viewport, scheme } of views) {
      const view = `${viewport.width} px, ${scheme}`
      await tab.setViewport(viewport)
      await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      const ground = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
      expect(ground, view).toBe(scheme === 'dark' ? 'rgb(20, 23, 26)' : 'rgb(255, 255, 255)')
      expect(await findViolations(), view).toEqual([])
      const root = await tab.evaluate(() => ({ content: document.documentElement.scrollWidth, window: innerWidth }))
      expect(root.content, view).toBe(root.window)
      expect(faults).toEqual([])
    }
  },
)

describe('by keyboard', () => {
  const focused = () =>
    tab.evaluate(() => {
      const element = document.activeElement as HTMLElement
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return { text: element.textContent?.trim() ?? '', isOutlined: outlineStyle !== 'none' && outlineWidth !== '0px' }
    })

  test('the first Tab shows a link that leads to the content', async () => {
    await tab.setViewport(wide)
    await go('/docs/operate')
    await tab.keyboard.press('Tab')
    expect(await focused()).toEqual({ text: 'Skip to the content', isOutlined: true })
    const { y } = (await (await tab.$('.skip'))?.boundingBox()) ?? { y: -1 }
    expect(y).toBeGreaterThanOrEqual(0)
    await tab.keyboard.press('Enter')
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('content')
    await tab.keyboard.press('Tab')
    expect(await tab.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  })

  test('every element reached with Tab has a visible focus', async () => {
    await tab.setViewport(wide)
    await go('/docs/agent-jobs')
    const texts: string[] = []
    for (let stop = 0; stop < 40; stop += 1) {
      await tab.keyboard.press('Tab')
      const { text, isOutlined } = await focused()
      if (await tab.evaluate(() => document.activeElement === document.body)) break
      texts.push(text)
      expect({ text, isOutlined }).toEqual({ text, isOutlined: true })
    }
    expect(texts).toContain('Export a site')
    expect(texts.length).toBeGreaterThan(20)
  })

  test('the menu of a small screen opens and leads to a page', async () => {
    await tab.setViewport(small)
    await go('/docs/operate')
    expect(await tab.$$eval('nav', navs => navs.map(nav => nav.checkVisibility()))).toEqual([false, false])
    await tab.focus('.menu summary')
    await tab.keyboard.press('Enter')
    expect(await tab.$eval('.menu nav', nav => nav.checkVisibility())).toBe(true)
    await tab.keyboard.press('Tab')
    expect(await focused()).toEqual({ text: 'Quire', isOutlined: true })
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
    expect(new URL(tab.url()).pathname).toBe('/docs/')
  })

  test('a search in the header finds a section, and Enter opens it', async () => {
    await tab.setViewport(wide)
    await go('/docs/operations/getAgentJob')
    await tab.focus('#search-field')
    await tab.keyboard.type('delaycompress')
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
    expect(new URL(tab.url()).pathname + new URL(tab.url()).search).toBe('/docs/search?q=delaycompress')
    expect(await tab.$eval('#search-status', status => status.textContent)).toBe('1 section has all of these words.')
    expect(await tab.$eval('#search-results mark', mark => mark.textContent)).toBe('delaycompress')
    // The field has the focus; then come the button and the first hit.
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Tab')
    expect(await focused()).toEqual({ text: 'Count visitors: Follow a log', isOutlined: true })
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
    expect(tab.url()).toBe(`${server.url}/docs/visitors#follow-a-log`)
  })

  test('hits are updated while typing, and markup in a query is treated as text', async () => {
    await go('/docs/search')
    await tab.keyboard.type('<b>nothing')
    expect(await tab.$eval('#search-status', status => status.textContent)).toBe('No section has all of these words.')
    await tab.$eval('#search-field', field => {
      ;(field as HTMLInputElement).value = ''
    })
    await tab.keyboard.type('openapi-backend <')
    expect(await tab.$$eval('#search-results b', all => all.length)).toBe(0)
    expect(faults).toEqual([])
  })
})

test('without scripts, the search page lists every section', async () => {
  await tab.setJavaScriptEnabled(false)
  try {
    await go('/docs/search?q=backup')
    expect(await tab.$eval('#search-status', status => status.textContent)).toBe('All sections are listed below.')
    expect(await tab.$$eval('.sections a', links => links.length)).toBeGreaterThan(60)
  } finally {
    await tab.setJavaScriptEnabled(true)
  }
})
