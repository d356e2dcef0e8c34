// A long file: one browser opens the documentation for all of these tests.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, HTTPRequest, Page } from 'puppeteer'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listPages } from '../../server/docs/sitemap.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
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
    // The browser tells of the status of this page.
    const isMissing = message.location().url?.endsWith('/nothing/here') === true
    if (message.type() === 'error' && !isMissing) faults.push(message.text())
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

/** Both widths and both schemes. No rule depends on a width and a scheme together. */
const views = [
  { viewport: small, scheme: 'dark' },
  { viewport: wide, scheme: 'light' },
]

test.each([...listPages(files), '/nothing/here'])(
  '%s has no axe violations, and does not scroll horizontally, on a small screen in the dark and on a wide one in light',
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
    expect(await tab.$$eval('.side, .menu nav', navs => navs.map(nav => nav.checkVisibility()))).toEqual([false, false])
    await tab.focus('.menu summary')
    await tab.keyboard.press('Enter')
    expect(await tab.$eval('.menu nav', nav => nav.checkVisibility())).toBe(true)
    await tab.keyboard.press('Tab')
    expect(await focused()).toEqual({ text: 'API reference', isOutlined: true })
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
    expect(new URL(tab.url()).pathname).toBe('/docs/reference')
  })

  test.each([small, wide])(
    'at $width px, the header is low, and a chosen theme stays, also in the dashboard',
    async view => {
      await tab.setViewport(view)
      await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
      await go('/docs/operate')
      expect(await tab.$eval('h1', heading => heading.getBoundingClientRect().top)).toBeLessThan(120)
      if (view === small) await tab.click('.menu summary')
      await tab.focus(view === small ? '.menu [value=dark]' : 'header [value=dark]')
      await Promise.all([tab.waitForResponse(answer => answer.url().endsWith('/theme')), tab.keyboard.press('Enter')])
      const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
      for (const path of ['/docs/operate', '/docs/', '/dashboard/sign-in']) {
        if (path !== '/docs/operate') await go(path)
        expect([path, await ground()]).toEqual([path, 'rgb(20, 23, 26)'])
        expect(await tab.$eval('[value=dark]', button => button.ariaPressed)).toBe('true')
      }
      await Promise.all([tab.waitForResponse(answer => answer.url().endsWith('/theme')), tab.click('[value=system]')])
      await go('/docs/')
      expect(await ground()).toBe('rgb(255, 255, 255)')
      expect(faults).toEqual([])
    },
  )

  test('Ctrl K opens a dialog that finds a section, and Enter opens it', async () => {
    await tab.setViewport(wide)
    await go('/docs/operations/getAgentJob')
    await pressCtrlK()
    await tab.keyboard.type('delaycompress')
    const hit = await tab.waitForSelector('quire-search >>> [role=option][aria-selected=true]')
    expect(await hit?.evaluate(option => option.textContent)).toMatch(/^Follow a logCount visitors/)
    expect(await hit?.$$eval('mark', marks => marks[0]?.textContent)).toBe('delaycompress')
    expect(await findViolations()).toEqual([])
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
    expect(tab.url()).toBe(`${server.url}/docs/visitors#follow-a-log`)
    expect(faults).toEqual([])
  })

  test('tabs of answers move by arrow keys, and an address with a status opens its tab', async () => {
    await tab.setViewport(wide)
    await go('/docs/operations/getAgentJob#404')
    const selected = () => tab.$eval('[aria-label=Answers] [aria-selected=true]', button => button.textContent)
    const shown = () =>
      tab.$$eval('[data-kind][role=tabpanel]', all => all.filter(each => each.checkVisibility()).length)
    expect([await selected(), await shown()]).toEqual(['404', 1])
    await tab.focus('[aria-label=Answers] [aria-selected=true]')
    await tab.keyboard.press('ArrowRight')
    expect([await selected(), (await focused()).text, await shown()]).toEqual(['500', '500', 1])
    await tab.keyboard.press('ArrowRight')
    expect(await selected()).toBe('200')
    await tab.keyboard.press('End')
    expect(await selected()).toBe('500')
  })
})

async function pressCtrlK(): Promise<void> {
  await tab.keyboard.down('Control')
  await tab.keyboard.press('k')
  await tab.keyboard.up('Control')
}

test('a small screen folds the long sections of a long page; a link into one opens it, and so does the search', async () => {
  await tab.setViewport(small)
  await go('/docs/operate')
  expect(await tab.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6 * small.height)
  const folds = () => tab.$$eval('.fold', all => all.map(each => (each as HTMLDetailsElement).open))
  const closed = (await folds()).filter(isOpen => !isOpen).length
  expect(closed).toBeGreaterThan(5)
  expect(await findViolations()).toEqual([])
  const heading = '#put-nginx-in-front'
  await tab.evaluate(hash => location.assign(hash), heading)
  await tab.waitForFunction(hash => document.querySelector(hash)?.closest('details')?.open, {}, heading)
  expect(Math.abs(await tab.$eval(heading, each => each.getBoundingClientRect().top))).toBeLessThan(small.height)
  // A link to a text opens its section as the search of the browser does.
  await tab.goto('about:blank')
  await go('/docs/operate#:~:text=header_up')
  await tab.waitForFunction(() => document.querySelector('#put-caddy-in-front')?.closest('details')?.open)
  await tab.click('.open-all')
  expect((await folds()).every(Boolean)).toBe(true)
  await tab.setViewport(wide)
  await go('/docs/operate')
  expect(await folds()).toEqual([])
  expect(faults).toEqual([])
})

test('the form of an operation sends a request to the server, and shows the answer without the key', async () => {
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  await tab.setViewport(wide)
  await go('/docs/operations/getUniqueVisitors')
  // The samples ask the server of the reader, and the dashboard has the form for a key.
  expect(await tab.$eval('.sample code', code => code.textContent)).toContain(`${server.url}/v1/analytics/`)
  await tab.click('.try > summary')
  const toKeys = await tab.$eval('.try form a', link => [link.checkVisibility(), (link as HTMLAnchorElement).href])
  expect(toKeys).toEqual([true, `${server.url}/dashboard/?section=keys#generate`])
  await tab.type('[name=key]', key)
  await tab.type('[name=projectId]', projectId)
  await tab.type('[name=limit]', '7')
  await tab.click('.send')
  const read = (part: string) => tab.$eval(`[data-part=${part}]`, element => element.textContent ?? '')
  await tab.waitForSelector('[data-part=status]:not(:empty)')
  expect(await read('status')).toMatch(/^200 OK, \d+ ms, [\d.]+ (bytes|kB)$/)
  expect(JSON.parse(await read('body'))).toMatchObject({ totals: { human: 0, ai: 0, total: 0 } })
  expect(await read('headers')).toMatch(/^x-request-id: /m)
  const address = `${server.url}/v1/analytics/${projectId}/visitors?limit=7`
  expect(await read('curl')).toBe(`curl -i -H "Authorization: Bearer $QUIRE_API_KEY" \\\n  '${address}'`)
  expect(await findViolations()).toEqual([])
  // Nothing keeps the key: no storage, no cookie, and no field after a reload.
  expect(await tab.evaluate(() => document.documentElement.outerHTML)).not.toContain(key)
  expect(await tab.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ''])
  await tab.reload()
  expect(await tab.$eval('[name=key]', field => (field as HTMLInputElement).value)).toBe('')
  expect(faults).toEqual([])
})

test('the form refuses dots in a path, which a browser would remove from the address', async () => {
  await go('/docs/operations/getAgentJob')
  await tab.click('.try > summary')
  await tab.type('[name=projectId]', 'a')
  await tab.type('[name=id]', '..')
  await tab.click('.send')
  expect(await tab.$eval('[name=id]', field => (field as HTMLInputElement).validationMessage)).toMatch(
    /one or two dots/,
  )
  expect(await tab.$eval('[data-part=answer]', answer => answer.checkVisibility())).toBe(false)
  await tab.type('[name=id]', '.')
  expect(await tab.$eval('form[data-path]', form => (form as HTMLFormElement).checkValidity())).toBe(true)
})

test('an address with a lone percent sign breaks no script', async () => {
  await go('/docs/operations/getAgentJob#%')
  expect(await tab.$('[aria-label=Answers] [aria-selected=true]')).not.toBeNull()
  expect(faults).toEqual([])
})

test('a printed page has every answer below its status', async () => {
  await go('/docs/operations/getAgentJob')
  await tab.emulateMediaType('print')
  try {
    const labels = await tab.$$eval('[data-kind][role=tabpanel] > h3', all =>
      all.filter(each => each.checkVisibility()).map(each => each.textContent),
    )
    expect(labels).toEqual(['200', '400', '401', '403', '404', '500'])
  } finally {
    await tab.emulateMediaType()
  }
})

test('code that a browser refuses to copy is selected, and a screen reader is told', async () => {
  await go('/docs/operations/getAgentJob')
  await tab.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
    document.execCommand = () => false
  })
  const block = await tab.$('.code:has(> .copy)')
  await block?.$eval('.copy', button => (button as HTMLElement).click())
  await tab.waitForFunction(() =>
    [...document.querySelectorAll('p[role=status].unseen')].some(each => each.textContent === 'Press Ctrl-C'),
  )
  expect(await block?.$eval('code', code => String(getSelection()).trim() === code.textContent.trim())).toBe(true)
})

test('the form of a page that no server serves says that it needs one', async () => {
  await tab.setRequestInterception(true)
  const answer = (request: HTTPRequest) =>
    request.url().includes('/v2/') ? void request.respond({ status: 404, body: 'nothing' }) : void request.continue()
  tab.on('request', answer)
  try {
    await go('/docs/operations/getAgentJob')
    await tab.click('.try > summary')
    await tab.type('[name=projectId]', 'a')
    await tab.type('[name=id]', 'b')
    await tab.click('.send')
    await tab.waitForSelector('[data-part=status]:not(:empty)')
    expect(await tab.$eval('[data-part=status]', status => status.textContent)).toMatch(/^No Quire server answers here/)
  } finally {
    faults.length = 0
    tab.off('request', answer)
    await tab.setRequestInterception(false)
  }
})

test('the list of operations is filtered by words', async () => {
  await go('/docs/reference')
  await tab.type('[data-filter]', 'webhook post')
  const items = await tab.$$eval('.operations li', all =>
    all.filter(item => item.checkVisibility()).map(item => item.textContent),
  )
  expect(items.length).toBeGreaterThan(1)
  expect(items.every(text => /POST.*webhook/is.test(text ?? ''))).toBe(true)
  expect(await tab.$eval('[data-filtered]', status => status.textContent)).toBe(`${items.length} operations`)
})

test('a question in the address of the search page opens the dialog, and markup in it is text', async () => {
  await go(`/docs/search?q=${encodeURIComponent('openapi-backend <b>')}`)
  await tab.waitForSelector('quire-search >>> [role=option]')
  expect(await tab.$eval('quire-search >>> input', input => (input as HTMLInputElement).value)).toBe(
    'openapi-backend <b>',
  )
  expect(await tab.$$('quire-search >>> b')).toEqual([])
  expect(faults).toEqual([])
})

describe('without scripts', () => {
  beforeEach(() => tab.setJavaScriptEnabled(false))
  afterEach(() => tab.setJavaScriptEnabled(true))

  test('the search form leads to a page that lists every section', async () => {
    await go('/docs/operate')
    await tab.type('#search-field', 'backup')
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
    expect(tab.url()).toBe(`${server.url}/docs/search?q=backup`)
    expect(await tab.$$eval('.sections a', links => links.length)).toBeGreaterThan(60)
  })

  test('every answer of an operation can be read, and nothing that needs a script is shown', async () => {
    await go('/docs/operations/getAgentJob')
    const shown = await tab.$$eval('[data-kind] h3', all =>
      all.filter(each => each.checkVisibility()).map(each => each.textContent),
    )
    expect(shown).toEqual(['200', '400', '401', '403', '404', '500'])
    expect(
      await tab.$$eval(
        '.try, .copy, [data-search], [role=tab]',
        all => all.filter(each => each.checkVisibility()).length,
      ),
    ).toBe(0)
  })
})
