import { beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, startFakeSite } from '../fake-site.ts'

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

const words = Array.from({ length: 70 }, (_, index) => `word${index}`).join(' ')
const json = { 'content-type': 'application/json' }

function doc(name: string, end: string): string {
  const links = ['a', 'b', 'c', 'd'].map(to => `<a href="/${to}${end}" data-to="/${to}">${to}</a>`).join(' ')
  return `<!doctype html><html><head><title>${name}</title></head><body><nav>${links}</nav><main><h1>${name}</h1><p>${words}</p></main><script type="module" src="/app.js"></script></body></html>`
}

/** Follows links without the browser, as an app does. A page that it cannot show becomes an error. */
const follow = (data: string) => `
  for (const link of document.links) {
    link.__props = {}
    link.addEventListener('click', async event => {
      event.preventDefault()
      const { title } = await (await fetch(${data})).json().catch(() => ({ title: 'Unexpected error' }))
      document.querySelector('h1').textContent = title
    })
  }`

/** As React Router: the routes of the links are asked for by a query, and the data of a page by its name. */
const router = `
  const paths = [...document.links].map(({ pathname }) => pathname).sort()
  const answer = await fetch('/__manifest?paths=' + encodeURIComponent(paths.join()) + '&version=1')
  window.routes = await answer.json()
  ${follow("routes[link.dataset.to] ? link.dataset.to + '.data' : '/unknown'")}`

/** As Qwik City: the name of the data is appended to the address of the link. */
const city = follow("new URL('q-data.json', link.href)")

async function run(site: FakeSite) {
  const server = await startFakeSite(site)
  try {
    return await exportFakeSite(server.origin, { verify: 'full' })
  } finally {
    await server.close()
  }
}

test('an app gets routes that it asks for by the rewritten names of its links, and the data of all pages', {
  timeout: 60_000,
}, async () => {
  const { report, entries } = await run(path => {
    const { pathname, searchParams } = new URL(path, 'http://site')
    if (pathname === '/app.js') return { body: router, headers: { 'content-type': 'text/javascript' } }
    const known = /^\/([a-d]?)(\.data)?$/.exec(pathname)
    if (known?.[2]) return { body: JSON.stringify({ title: known[1] }), headers: json }
    if (known) return doc(known[1] || 'home', '')
    const asked = (searchParams.get('paths') ?? '').split(',').filter(each => /^\/[a-d]$/.test(each))
    if (pathname !== '/__manifest' || asked.length === 0) return undefined
    return { body: JSON.stringify(Object.fromEntries(asked.map(each => [each, { id: each }]))), headers: json }
  })
  expect(report.scripts).toMatchObject({ mode: 'guarded', reason: expect.stringMatching(/on file:\/\//) })
  expect(entries.map(({ name }) => name).filter(name => name.endsWith('.data'))).toEqual([
    'a.data',
    'b.data',
    'c.data',
    'd.data',
  ])
  expect(report.differences).toEqual([])
})

test('an app gets data by the address of a link, which is that of a file in the bundle', {
  timeout: 60_000,
}, async () => {
  const pages = ['a', 'b', 'c', 'd'].flatMap(name => [
    [`/${name}/`, doc(name, '/')],
    [`/${name}/q-data.json`, JSON.stringify({ title: name })],
  ])
  const { report } = await run({ '/': doc('home', '/'), ...Object.fromEntries(pages), '/app.js': city })
  expect(report.scripts).toMatchObject({ mode: 'guarded', reason: expect.stringMatching(/on file:\/\//) })
  expect(report.differences).toEqual([])
})
