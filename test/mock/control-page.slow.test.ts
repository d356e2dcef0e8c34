import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { generated } from '../../mock/both-documents.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createMock } from '../../spec/package/mock/index.ts'
import { createMovingServer } from '../../spec/package/mock-server/moving.ts'
import { openBrowser } from '../export/search/search-visitor.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser | undefined
let mock: Server

beforeAll(async () => {
  if (!findBrowser()) return
  const documents = generated
  mock = createMovingServer({ documents, mock: createMock({ scenario: 'usual' }), allowsOrigin: () => false })
  await new Promise<void>(done => mock.listen(0, '127.0.0.1', done))
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  mock?.close()
})

beforeEach(({ skip }) => {
  if (!browser) skip(`needs a Chromium; install one with: ${installCommand()}`)
})

test.each([
  { scheme: 'light', ground: 'rgb(255, 255, 255)' },
  { scheme: 'dark', ground: 'rgb(20, 23, 26)' },
])('the page of the mock is $scheme like the system, has no axe violations, and fits 360 px', async given => {
  const { scheme, ground } = given
  const tab = await (browser as Browser).newPage()
  await tab.setViewport({ width: 360, height: 740 })
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  await tab.goto(`http://127.0.0.1:${(mock.address() as AddressInfo).port}/mock`)
  expect(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(ground)
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  const { violations } = (await tab.evaluate(`(() => { ${axe} })(); window.axe.run(document)`)) as AxeResults
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  await tab.close()
})
