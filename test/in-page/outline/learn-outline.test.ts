import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runtimeFile } from '../../../server/export/runtime/page-runtime.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { type BundleViewer, openBundleViewer } from '../../../server/web/browser/viewer.ts'

const profileFolder = mkdtempSync(join(tmpdir(), 'quire-outline-'))
let viewer: BundleViewer

beforeAll(async () => {
  if (findBrowser())
    viewer = await openBundleViewer({
      executablePath: findBrowser() ?? '',
      allowNoSandbox: true,
      profileFolder,
      pageTimeoutMs: 20_000,
      pageRequests: 100,
      signal: new AbortController().signal,
    })
})

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterAll(async () => {
  await viewer?.close()
  rmSync(profileFolder, { recursive: true, force: true })
})

const page = (body: string) => `<!doctype html><html><head><link rel="icon" href="data:,"></head>${body}</html>`

function look(html: string, served?: string) {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  const answer = async () => ({ status: 200, headers, body: Buffer.from(html) })
  return viewer.look('http://localhost/a', answer, { pressesTheme: false, ...(served ? { served } : {}) })
}

/** Learns the outline that a script makes on one page, and shows another page with it, without the script. */
async function rebuild(one: string, other: string, script: string): Promise<string | undefined> {
  const learned = await look(page(`${one}<script>${script}</script>`), page(one))
  const settings = { themeAttributes: [], hasDarkClass: false, hasSearch: true, isHosted: false }
  const outlines = learned?.outline ? [learned.outline] : []
  const runtime = runtimeFile({ ...settings, outlines })
  return (await look(page(`${other}<script>${runtime}</script>`)))?.words.join(' ')
}

const headings = (...names: string[]) =>
  names.map(name => `<${name.slice(0, 2)} id="${name}">${name} title</${name.slice(0, 2)}><p>text</p>`).join('')
const find = (selector: string) => `[...document.querySelectorAll('${selector}')]`

describe('an outline that a script makes is made from the headings of other pages', () => {
  const cases: { fact: string; frame(content: string): string; script: string; want: string }[] = [
    {
      fact: 'in an empty list, in an element that a class shows',
      frame: content =>
        `<style>.toc { display: none } .toc.on { display: block }</style><nav class="toc"><b>Here</b><ul class="items"></ul></nav><main>${content}</main>`,
      script: `document.querySelector('.toc').classList.add('on'); document.querySelector('.items').innerHTML = ${find('main h2')}.map(it => '<li><a title="' + it.textContent + '" href="#' + it.id + '">' + it.textContent + '</a></li>').join('')`,
      want: 'Here h2c title h2d title h2c title text h2d title text',
    },
    {
      fact: 'after the link of the page in a menu, with two levels',
      frame: content =>
        `<aside class="menu"><a class="item" href="/x">x</a> <a class="item active" href="/a">a</a></aside><main>${content}</main>`,
      script: `
        const link = (it, more) => '<li><a class="in" href="#' + it.id + '"><span>' + it.textContent + '</span></a>' + more + '</li>'
        const inner = it => { const found = []; for (let at = it.nextElementSibling; at && at.localName !== 'h2'; at = at.nextElementSibling) if (at.localName === 'h3') found.push(link(at, '')); return found.length ? '<ul class="deep">' + found.join('') + '</ul>' : '' }
        document.querySelector('.active').insertAdjacentHTML('afterend', '<ul class="top">' + ${find('h2')}.map(it => link(it, inner(it))).join('') + '</ul>')`,
      want: 'x a h2c title h3d title h2e title h2c title text h3d title text h2e title text',
    },
    {
      fact: 'as links without a list',
      frame: content => `<div class="layout"><article>${content}</article><div class="side"></div></div>`,
      script: `document.querySelector('.side').innerHTML = ${find('h2')}.map(it => '<a class="l" href="#' + it.id + '">' + it.textContent + '</a> ').join('')`,
      want: 'h2c title text h2d title text h2c title h2d title',
    },
  ]
  test.each(cases)('$fact', async ({ frame, script, want }) => {
    const hasDeep = want.includes('h3')
    const one = frame(headings('h2a', ...(hasDeep ? ['h3x', 'h3y'] : []), 'h2b'))
    const other = frame(headings('h2c', hasDeep ? 'h3d' : 'h2d', ...(hasDeep ? ['h2e'] : [])))
    const words = (text: string | undefined) => text?.split(' ').sort().join(' ')
    expect(words(await rebuild(one, other, script))).toBe(words(want))
  })
})

test('a heading before the first heading of its outer level is less deep', async () => {
  const frame = (content: string) => `<nav><ul class="t"></ul></nav><main>${content}</main>`
  const script = `
    const list = document.querySelector('.t')
    for (const it of ${find('h2, h3')}) {
      const item = document.createElement('li')
      item.innerHTML = '<a href="#' + it.id + '">' + it.textContent + '</a>'
      const above = it.localName === 'h3' && list.querySelector(':scope > .two:last-child')
      if (it.localName === 'h2') item.className = 'two'
      if (above && !above.querySelector('ul')) above.append(document.createElement('ul'))
      ;(above ? above.querySelector('ul') : list).append(item)
    }`
  const one = frame(headings('h3a', 'h3b', 'h2b', 'h3c', 'h3d'))
  const text = await rebuild(one, frame(headings('h3e', 'h3f', 'h2f', 'h3g')), script)
  expect(text).toBe(
    'h3e title h3f title h2f title h3g title h3e title text h3f title text h2f title text h3g title text',
  )
})

test('links in the text of the page are no outline', async () => {
  const frame = (content: string) => `<nav class="n"><a class="on" href="/a">a</a></nav><main>${content}</main>`
  const script = `document.querySelector('.on').insertAdjacentHTML('afterend', '<ul class="t">' + ${find('h2')}.map(it => '<li><a class="l" href="#' + it.id + '">' + it.textContent + '</a></li>').join('') + '</ul>')`
  const one = frame(`<ul><li><a href="#h2a">h2a title</a></li></ul>${headings('h2a', 'h2b')}`)
  const other = frame(`<p>See <a href="#h2c">below</a>.</p>${headings('h2c')}`)
  expect(await rebuild(one, other, script)).toBe('a h2c title See below. h2c title text')
})

describe('nothing is learned', () => {
  const add = (text: string) => `document.querySelector('nav').innerHTML = '${text}'`
  test.each([
    ['from links that the server sent', '<nav><a href="#h2a">h2a title</a></nav>', ''],
    [
      'from links that the server sent, one of them wrongly encoded',
      '<a href="#h2a">h2a title</a><a href="#1%">1%</a>',
      '',
    ],
    ['from a list of only some headings', '<nav class="n"></nav>', add('<a href="#h2a">h2a title</a>')],
    ['from links with other texts', '<nav class="n"></nav>', add('<a href="#h2a">1</a><a href="#h2b">2</a>')],
  ])('%s', async (_, nav, script) => {
    const served = page(`${nav}<main>${headings('h2a', 'h2b')}</main>`)
    expect((await look(served.replace('</html>', `<script>${script}</script></html>`), served))?.outline).toBeNull()
  })
})

test('headings are put into an outline as text', async () => {
  const frame = (content: string) => `<nav><ul class="t"></ul></nav><main>${content}</main>`
  const script = `document.querySelector('.t').innerHTML = ${find('h2')}.map(it => '<li><a href="#' + it.id + '">' + it.textContent + '</a></li>').join('')`
  const evil = '<h2 id="x">&lt;img src=x onerror=document.body.textContent=&#39;broken&#39;&gt;</h2>'
  const text = await rebuild(frame(headings('h2a', 'h2b')), frame(evil), script)
  expect(text?.match(/<img/g)).toHaveLength(2)
})
