import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import puppeteer from 'puppeteer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { type Exported, exportFakeSite, startFakeSite } from '../export/fake-site.ts'
import { type Canary, startCanary } from './canary.ts'
import { addressOf, asMarkup, hostileSite, markupVectors, redirectVectors, scriptVectors } from './vectors.ts'

let canary: Canary
beforeAll(async () => {
  canary = await startCanary()
})
afterAll(() => canary.close())

const withoutScripts = { ...markupVectors, ...redirectVectors }

describe('no page makes the export connect to the canary', () => {
  let exported: Exported
  let visits: string[] = []
  beforeAll(async () => {
    const before = process.env.PUPPETEER_EXECUTABLE_PATH
    process.env.PUPPETEER_EXECUTABLE_PATH = '/nonexistent/chromium'
    const site = await startFakeSite(hostileSite(withoutScripts, canary.port, false))
    visits = await canary.visitsDuring(async () => {
      exported = await exportFakeSite(site.origin)
    })
    if (before === undefined) delete process.env.PUPPETEER_EXECUTABLE_PATH
    else process.env.PUPPETEER_EXECUTABLE_PATH = before
    await site.close()
  })

  test.each(Object.keys(withoutScripts))('by %s', name => {
    expect(exported.names).toContain(`${addressOf(name).slice(1)}.html`)
    expect(visits.filter(path => path.startsWith(addressOf(name)))).toEqual([])
  })

  test('there was no connection, and the bundle has no outside addresses', () => {
    expect(visits).toEqual([])
    expect(exported.report.unresolved).toEqual([])
  })
})

const inBrowser = { ...withoutScripts, ...asMarkup(scriptVectors) }

describe.skipIf(!findBrowser())(
  `no page makes the browser connect to the canary (needs a Chromium: ${installCommand()})`,
  () => {
    let exported: Exported
    let visits: string[] = []
    let unsealed: string[] = []
    beforeAll(async () => {
      const site = await startFakeSite(hostileSite(inBrowser, canary.port, true))
      visits = await canary.visitsDuring(async () => {
        // Some pages leave by themselves, and then show nothing in the bundle.
        exported = await exportFakeSite(site.origin, { allowLoss: true, limits: { pageTimeoutMs: 10_000 } })
      })
      unsealed = await canary.visitsDuring(() => showUnsealed(site.origin))
      await site.close()
    }, 400_000)

    test('most of these pages make a normal browser connect', () => {
      const reached = Object.keys(inBrowser).filter(name => unsealed.some(path => path.startsWith(addressOf(name))))
      const unreached = Object.keys(inBrowser).filter(name => !reached.includes(name))
      console.log(`unsealed: ${reached.length} of ${Object.keys(inBrowser).length}; not ${unreached.join(', ')}`)
      expect(reached.length).toBeGreaterThan(60)
      expect(unsealed).toContain('(udp)')
    })

    test.each(Object.keys(inBrowser))('by %s', name => {
      expect(exported.names).toContain(`${addressOf(name).slice(1)}.html`)
      expect(visits.filter(path => path.startsWith(addressOf(name)))).toEqual([])
    })

    test('there was no connection, by TCP or UDP', () => {
      expect(visits).toEqual([])
      expect(exported.report.unresolved).toEqual([])
      // Freezing the page that leaves by itself would lose its text, so all pages keep their scripts, sealed.
      expect(exported.report.scripts).toMatchObject({ mode: 'everywhere', decidedBy: 'browser' })
    })
  },
)

/** Opens every page in a normal browser, to prove that the canary records its connections. */
async function showUnsealed(origin: URL): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'quire-unsealed-'))
  const browser = await puppeteer.launch({
    executablePath: findBrowser() ?? '',
    userDataDir: profile,
    args: [
      '--disable-gpu',
      '--autoplay-policy=no-user-gesture-required',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  const names = Object.keys(inBrowser)
  const show = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const page = await browser.newPage()
      page.on('dialog', dialog => void dialog.dismiss().catch(() => {}))
      await page
        .goto(new URL(addressOf(name), origin).href, { timeout: 3000, waitUntil: 'domcontentloaded' })
        .catch(() => {})
      await sleep(400)
      await page.close().catch(() => {})
    }
  }
  await Promise.all([show(), show(), show()])
  await browser.close()
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
}
