import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runtimeFile } from '../../../server/export/runtime/page-runtime.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { launch } from '../../../server/web/browser/launch.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-runtime-'))
const executablePath = findBrowser()
let browser: Browser | null = null

beforeAll(async () => {
  if (executablePath) browser = await launch({ executablePath, profileFolder: join(scratch, 'profile') }, 0)
}, 60_000)
beforeEach(context => {
  if (!browser) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterAll(async () => {
  await browser?.close()
  rmSync(scratch, { recursive: true, force: true })
})

/** Evaluates an expression in a page with the run-time, opened from file://. */
async function evaluate(markup: string, expression: string): Promise<unknown> {
  writeFileSync(
    join(scratch, 'runtime.js'),
    runtimeFile({ themeAttributes: [], hasDarkClass: false, hasSearch: false, isHosted: false, outlines: [] }),
  )
  const file = join(scratch, 'page.html')
  writeFileSync(file, `<!doctype html><script src="runtime.js" defer></script>${markup}`)
  const page = await browser?.newPage()
  try {
    await page?.goto(pathToFileURL(file).href)
    return await page?.evaluate(expression)
  } finally {
    await page?.close()
  }
}

describe('a page that is hidden until its scripts run', () => {
  const content = '<main><h1>Title</h1><p>Words.</p></main>'
  const seen = (selector: string) =>
    `(it => [it.checkVisibility({ opacityProperty: true, visibilityProperty: true }), getComputedStyle(it).display].join(' '))(document.querySelector('${selector}'))`
  const cases: { fact: string; markup: string; selector: string; want: string }[] = [
    {
      fact: 'shows an element that a class hides, with its usual layout',
      markup: `<style>.book { display: flex } .veiled { display: none }</style><div class="book veiled">${content}</div>`,
      selector: '.book',
      want: 'true flex',
    },
    {
      fact: 'shows an element that an attribute hides',
      markup: `<style>[veiled] { visibility: hidden }</style><div class="book" veiled>${content}</div>`,
      selector: 'h1',
      want: 'true block',
    },
    {
      fact: 'shows a transparent body and a hidden element in it',
      markup: `<style>body { opacity: 0 } .book { display: none }</style><div class="book">${content}</div>`,
      selector: 'h1',
      want: 'true block',
    },
    {
      fact: 'shows a page without headings',
      markup: '<style>.veiled { visibility: hidden }</style><body class="veiled"><p>Words.</p>',
      selector: 'p',
      want: 'true block',
    },
    {
      fact: 'does not show a hidden element beside visible content',
      markup: `${content}<article hidden><p>More.</p></article>`,
      selector: 'article',
      want: 'false none',
    },
    {
      fact: 'opens no dialog',
      markup: '<p>Welcome.</p><dialog><h1>Sign in</h1></dialog>',
      selector: 'dialog',
      want: 'false none',
    },
  ]
  test.each(cases)('$fact', async ({ markup, selector, want }) => {
    expect(await evaluate(markup, seen(selector))).toBe(want)
  })
})
