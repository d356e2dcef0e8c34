import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import type { PageLook } from '../../../server/web/browser/page-look.ts'
import { type BundleViewer, type LookWish, openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { readPageWords } from '../../../server/web/html/page-text.ts'
import { rawOf } from '../../../server/web/html/text-encoding.ts'

const profileFolder = mkdtempSync(join(tmpdir(), 'quire-viewer-'))
let viewer: BundleViewer | null = null

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterAll(async () => {
  await viewer?.close()
  rmSync(profileFolder, { recursive: true, force: true })
})

async function look(html: string): Promise<string> {
  return (await lookWith(html))?.words.join(' ') ?? ''
}

async function lookWith(html: string, wish?: LookWish): Promise<PageLook | null> {
  viewer ??= await openBundleViewer({
    executablePath: findBrowser() ?? '',
    allowNoSandbox: true,
    profileFolder,
    pageTimeoutMs: 20_000,
    pageRequests: 100,
    signal: new AbortController().signal,
  })
  const body = Buffer.from(`<!doctype html><html><head><link rel="icon" href="data:,"></head>${html}</html>`)
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  return viewer.look('http://localhost/', async () => ({ status: 200, headers, body }), wish)
}

describe('a browser and the HTML show the same text', () => {
  const cases: [fact: string, html: string, words: string][] = [
    ['closed details', '<details><summary>a</summary>b<p>c</p></details>d', 'a b c d'],
    ['hidden elements', '<p hidden>no</p><p style="display:none">no</p><p hidden="until-found">no</p>a', 'a'],
    ['closed dialogs and popovers', '<dialog>no</dialog><dialog open>a</dialog><p popover>no</p>', 'a'],
    ['inert elements', '<p inert>a</p>', 'a'],
    [
      'declarative shadow trees',
      '<x-y><template shadowrootmode="open">a<p>b</p><details>c<summary>d</summary></details><p hidden>no</p></template></x-y>',
      'a b c d',
    ],
    ['hidden declarative shadow trees', '<x-y hidden><template shadowrootmode="open">no</template></x-y>a', 'a'],
  ]
  test.each(cases)('%s', async (_, html, words) => {
    const sorted = (text: string) => text.split(' ').sort().join(' ')
    expect(sorted(await look(html))).toBe(words)
    expect(sorted(readPageWords(rawOf(html)).join(' '))).toBe(words)
  })
})

test('a page that hides its body shows nothing', async () => {
  expect(await look('<body style="display:none">no<script>1</script></body>')).toBe('')
})

test('of a further page at the origin, only the controls in the content are pressed', async () => {
  const toggle = (name: string) => `<button onclick="this.toggleAttribute('data-on')">${name}</button>`
  const html = `<nav>${toggle('menu')}</nav><main>${toggle('part')}</main>`
  const namesOf = async (isFurther: boolean) => {
    const seen = await lookWith(html, { pressesTheme: false, served: html, isFurther })
    return seen?.controls.map(({ name }) => name)
  }
  expect(await namesOf(false)).toEqual(['part', 'menu'])
  expect(await namesOf(true)).toEqual(['part'])
})
