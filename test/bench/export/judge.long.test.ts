import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeBundle } from '../../../scripts/bench/export/judge.ts'
import { type Reference, readOrigin } from '../../../scripts/bench/export/read-origin.ts'
import type { Site } from '../../../scripts/bench/export/site.ts'
import { type StaticServer, serveStatic } from '../../../scripts/bench/export/static-server.ts'
import { openVisitor, type Visitor } from '../../../scripts/bench/export/visitor.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'

const script = `
const app = document.querySelector('main')
app.__vue_app__ = {}
document.querySelector('#theme').onclick = () => { document.body.style.background = 'black' }
document.querySelector('[role=tab]').onclick = () => { document.querySelector('#panel').hidden = false }
const field = document.querySelector('input')
field.oninput = () => { document.querySelector('ul').innerHTML = field.value === 'hooks' ? '<li>one</li><li>two</li>' : '' }
`
const page = (title: string, text: string) => `<!doctype html><title>${title}</title>
<nav><a href="index.html">Home</a> <a href="a.html">About hooks</a></nav>
<button id="theme" aria-label="Change the theme">T</button><input><ul></ul>
<button role="tab" aria-selected="false">Tab</button><p id="panel" hidden>Panel.</p>
<main><h1>${title}</h1>${text}<details><summary>More</summary>closed words</details></main><script src="app.js"></script>`
const files: Record<string, string> = {
  'index.html': page('Home', '<p>These words are visible.</p>'),
  'a.html': page('A', '<div id="host"></div><p hidden>These are not.</p><p>Shown <b>with</b>out a gap</p>'),
  'app.js': script,
}
const site: Site = {
  name: 'small',
  description: '',
  debian: [],
  folder: '',
  search: { path: '/', field: 'input', hits: 'li', queries: ['hooks'] },
}

let folder = ''
let origin: StaticServer
let visitor: Visitor
let reference: Reference

beforeAll(async () => {
  if (!findBrowser()) throw new Error('This test needs a Chromium.')
  folder = mkdtempSync(join(tmpdir(), 'quire-judge-'))
  write('origin', files)
  origin = await serveStatic(join(folder, 'origin'))
  visitor = await openVisitor()
  reference = await readOrigin({ site, root: origin.root.href, known: [], visitor, sampleSize: 2 })
})

afterAll(async () => {
  await visitor?.close()
  await origin?.close()
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, contents: Record<string, string>): string {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true })
    writeFileSync(join(folder, name, path), text)
  }
  return join(folder, name)
}

test('the origin has pages, words, a link, a theme button, a tab and hits', () => {
  expect(reference.pages.map(({ path }) => path)).toEqual(['/', '/a.html'])
  const [home, other] = reference.sampled.map(({ look }) => look)
  expect(home?.words).toEqual([
    'Home',
    'About',
    'hooks',
    'T',
    'Tab',
    'Home',
    'These',
    'words',
    'are',
    'visible.',
    'More',
  ])
  expect(other?.words.slice(6)).toEqual(['Shown', 'without', 'a', 'gap', 'More'])
  expect(home?.frameworks).toEqual({ vue: 1 })
  expect(reference.click).toMatchObject({ key: expect.stringMatching(/^\/a?$/) })
  expect(reference.themePage).toBeDefined()
  expect(reference.tab?.words).toEqual(['Panel.'])
  expect(reference.hits).toEqual([2])
})

test('a true copy is as the origin in all three places', async () => {
  cpSync(join(folder, 'origin'), join(folder, 'copy'), { recursive: true })
  const { missing, places } = await judgeBundle(join(folder, 'copy'), { site, reference, visitor })
  expect(missing).toEqual([])
  for (const place of Object.values(places)) {
    expect(place).toEqual({
      opened: 2,
      same: 2,
      leastShare: 1,
      failed: [],
      errors: [],
      outbound: [],
      isHydrated: true,
      themeWorks: true,
      tabsWork: true,
      clickWorks: true,
      hits: [2],
      remarks: [],
    })
  }
})

test('a tab works if the copy shows the panels of all tabs one below another', async () => {
  const index = files['index.html'] ?? ''
  const frozen = index.replace('<script src="app.js"></script>', '')
  const shown = write('shown', { 'index.html': frozen.replace('id="panel" hidden', 'id="panel"') })
  const hidden = write('hidden', { 'index.html': frozen })
  // What else the copies lack would be waited for in each place.
  const { pages, tab } = reference
  if (!tab) throw new Error('The origin has no tab.')
  const tabs = async (copy: string) => {
    const { places } = await judgeBundle(copy, { site, reference: { pages, sampled: [], tab }, visitor })
    return Object.values(places).map(({ tabsWork }) => tabsWork)
  }
  expect(await tabs(shown)).toEqual([true, true, true])
  expect(await tabs(hidden)).toEqual([false, false, false])
})

test('every fault of a copy is found', async () => {
  const bad = write('bad', {
    'index.html': files['index.html']
      ?.replace('<p>', '<p hidden>')
      .replace('app.js', 'gone.js')
      .replace(
        '</main>',
        'Added.</main><img src="http://elsewhere.test/x.png"><script>throw Error("own")</script>',
      ) as string,
  })
  const { missing, places } = await judgeBundle(bad, { site, reference, visitor })
  expect(missing).toEqual(['/a.html'])
  const { root, file } = places
  expect(root).toMatchObject({
    opened: 2,
    same: 0,
    leastShare: 0,
    isHydrated: false,
    themeWorks: false,
    tabsWork: false,
    clickWorks: false,
  })
  expect(root.hits).toEqual([0])
  expect(root.failed).toEqual(['/: /gone.js 404'])
  expect(root.errors).toEqual(['/: Error: own'])
  expect(root.outbound).toEqual(['/: GET http://elsewhere.test/x.png'])
  expect(root.remarks).toContain('/: lost 4: These words are visible.')
  expect(root.remarks).toContain('/: added 1: Added.')
  expect(file.outbound).toEqual(['/: GET http://elsewhere.test/x.png'])
})

test('a request that the policy of a copy refuses is no fault if the origin sends it to another host too', async () => {
  const load = "document.head.append(Object.assign(document.createElement('script'), { src: '//tracker.test/x.js' }))"
  const head = '<!doctype html><title>Tracked</title>'
  const text = `<h1>Tracked</h1><script>${load}</script>`
  const tracked = await serveStatic(write('tracked', { 'index.html': head + text }))
  const given = { site: { name: 'tracked', description: '', debian: [], folder: '' }, visitor }
  const read = readOrigin({ ...given, root: tracked.root.href, known: [], sampleSize: 1 })
  const known = await read.finally(() => tracked.close())
  expect(known.sampled[0]?.look.outbound).toEqual(['GET http://tracker.test/x.js'])
  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'unsafe-inline'">`
  const copy = write('refused', { 'index.html': head + policy + text.replace('x.js', 'x.js?copy') })
  const { places } = await judgeBundle(copy, { ...given, reference: known })
  expect(Object.values(places).map(({ failed, errors }) => [failed, errors])).toEqual([
    [[], []],
    [[], []],
    [[], []],
  ])
})
