import { afterEach, expect, test } from 'vitest'
import { createTabReader } from '../../../server/export/pages/page-work.ts'
import { withPanels } from '../../../server/export/render/with-panels.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { scanHtml } from '../../../server/web/html/html-scan.ts'
import { exportFakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

const servers: RunningServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const tab = (name: string, isSelected: boolean) =>
  `<button role="tab" aria-selected="${isSelected}" data-name="${name}">${name}</button>`
const panel = (content: string) => `<div role=tabpanel>${content}</div>`
const list = `<div role="tablist">${tab('one', true)}${tab('two', false)}</div>`

test.each([
  ['a page without tabs', '<p>x</p>', false],
  ['a panel for each tab', list + panel('<p>a</p>') + panel('<p>b</p>'), false],
  ['one panel for two tabs', list + panel('<p>a</p>'), true],
  ['an empty panel', list + panel('<p>a</p>') + panel(' '), true],
  ['tabs of a menu', list, false],
])('finds pages with tabs that lack their panel: %s', (_name, markup, want) => {
  const reader = createTabReader({ text: markup, charset: 'utf-8' })
  scanHtml(markup, reader.handler)
  expect(reader.finish()).toBe(want)
})

test('adds panels behind all other content', () => {
  const panels = [{ list: '0 "a" | b', tab: 1, html: '<div>\u00e4</div>' }]
  const template = '<template data-quire-panel="0 &quot;a&quot; | b" data-quire-tab="1"><div>&#228;</div></template>'
  expect(withPanels({ text: '<body>x</body></html>', charset: 'windows-1252' }, { panels, states: [] }).text).toBe(
    `<body>x${template}</body></html>`,
  )
  expect(withPanels({ text: 'x', charset: 'utf-8' }, { panels: [], states: [] }).text).toBe('x')
})

const words = Array.from({ length: 70 }, (_, index) => `word${index}`).join(' ')
/** Shows the panel of a tab when the button goes down, as some frameworks do, and removes the other one. */
const app = `
  const texts = { one: 'First <a href="/other">other</a>.', two: 'Second <img src="/two.png" onload="x()"><script>alert()<\\/script><a href="/only-there">there</a>.' }
  for (const list of document.querySelectorAll('[role=tablist]')) list.addEventListener('mousedown', ({ target }) => {
    for (const tab of list.children) tab.setAttribute('aria-selected', String(tab === target))
    list.nextElementSibling.innerHTML = texts[target.dataset.name]
  })`

test('a page keeps the panels that its scripts make only after a click', async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const doc = (name: string, markup: string) =>
    `<!doctype html><html><head><title>${name}</title></head><body><main><h1>${name}</h1><p>${words}</p>${markup}<a href="/other">other</a></main><script type="module" src="/app.js"></script></body></html>`
  const server = await startFakeSite({
    '/': doc('home', list + panel('First <a href="/other">other</a>.')),
    '/other': doc('other', ''),
    '/only-there': doc('only there', ''),
    '/two.png': 'png',
    '/app.js': app,
  })
  servers.push(server)
  const exported = await exportFakeSite(server.origin)
  const home = readEntry(exported.entries, 'index.html').toString()
  const kept = /<template data-quire-panel="0 one \| two" data-quire-tab="1">(.*?)<\/template>/.exec(home)?.[1]
  expect(kept).toBe('<div role="tabpanel">Second <img src="two.png"><a href="only-there.html">there</a>.</div>')
  expect(home).toMatch(/<div role=tabpanel>First <a/)
  expect(exported.names).toEqual(expect.arrayContaining(['two.png', 'only-there.html']))
  expect(readEntry(exported.entries, 'other.html').toString()).not.toContain('<template')
})

test('a sidebar that is a popover only on a narrow screen is not text that scripts add', async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const titles = Array.from({ length: 30 }, (_, index) => `Title${index}`).join(' ')
  const server = await startFakeSite({
    '/': `<!doctype html><html><head><title>Home</title><style>#pane { display: block }</style></head><body>
      <nav><div popover id="pane">${titles}</div></nav><main><h1>Home</h1><p>${titles} ${words}</p></main>
      <script src="/app.js"></script></body></html>`,
    '/app.js': 'document.querySelector("#pane").popover = null',
  })
  servers.push(server)
  const { entries, report } = await exportFakeSite(server.origin)
  expect(report.renderedPages).toEqual([])
  expect(readEntry(entries, 'index.html').toString()).toContain('<script src="app.js">')
})
