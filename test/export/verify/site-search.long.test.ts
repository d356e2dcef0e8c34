import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeOptions, type FakeSite, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'
import { everywhere, field, finder, names, searchable } from './searchable-site.ts'

const servers: RunningServer[] = []

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function run(site: FakeSite, options: FakeOptions = {}) {
  const server = await startFakeSite(site)
  servers.push(server)
  return { ...(await exportFakeSite(server.origin, options)), requests: server.requests }
}

describe('a search that works', () => {
  test('may load numbered parts of its index', async () => {
    const load = `
      const part = field.value.toLowerCase().charCodeAt(0) - 97
      const it = document.createElement('script')
      it.src = ['index', ['part', part.toString(16)].join('_')].join('/') + '.js'
      it.onload = () => show(window.part)
      document.head.append(it)`
    const parts = Array.from({ length: 26 }, (_, part): [string, string] => {
      const own = names.filter(name => name.toLowerCase().charCodeAt(0) - 97 === part)
      return [`/index/part_${part.toString(16)}.js`, `window.part = ${JSON.stringify(own)}`]
    })
    const { report, names: packed } = await run(
      searchable(field, { '/find.js': finder(load), ...Object.fromEntries(parts) }),
    )
    expect(packed).toEqual(expect.arrayContaining(parts.map(([path]) => path.slice(1))))
    for (const found of report.siteSearch?.words ?? []) expect(found).toMatchObject(everywhere(1))
    expect(report.siteSearch?.words).toHaveLength(3)
  })

  test('may load its index under a name that scripts join when the field is focused', async () => {
    const main = `
      const path = name => document.getElementById('vars').dataset.root + name + document.getElementById('vars').dataset.suffix + '.js'
      const field = document.querySelector('input')
      field.addEventListener('focus', () => {
        const it = document.createElement('script')
        it.src = path('search-index')
        it.onload = () => {
          const other = document.createElement('script')
          other.src = path('search')
          document.head.append(other)
        }
        document.head.append(it)
      }, { once: true })`
    const markup =
      '<div id="vars" data-root="" data-suffix="1.63.0"></div><input class="search-input" name="search" type="search"><ul id="hits"></ul><script src="main1.63.0.js"></script>'
    const found = finder('show(window.searchIndex)').replace('const field', 'var box')
    const { report } = await run(
      searchable(markup, {
        '/main1.63.0.js': main,
        '/search1.63.0.js': `{ ${found.replace('var box', 'const field')} }`,
        '/search-index1.63.0.js': `window.searchIndex = ${JSON.stringify(names)}`,
      }),
    )
    for (const found of report.siteSearch?.words ?? []) expect(found).toMatchObject(everywhere(1))
    expect(report.siteSearch?.words).toHaveLength(3)
  })

  test('may show its hits in a page of its own, in a frame, and after the return key', async () => {
    const markup = '<form action="search.html" role="search"><input name="q"></form><script src="menu.js"></script>'
    const search = `<!doctype html><html><head><title>Search</title></head><body><h1>Search</h1><iframe name="hits"></iframe><script src="results.js"></script></body></html>`
    const results = `
      const asked = new URLSearchParams(location.search).get('q') || ''
      window.frames.hits.location = ['found', 'all_' + 'tjsg'.indexOf(asked.toLowerCase()[0] || 't') + '.html'].join('/') + '?' + asked`
    const frame = (name: string) =>
      `<!doctype html><html><head><title></title></head><body><div id="none">No matches</div><script>
        const asked = location.search.slice(1).toLowerCase()
        if (asked && ${JSON.stringify(name)}.toLowerCase().startsWith(asked)) document.getElementById('none').outerHTML = '<a href="../${name}.html" target="_parent">${name}</a>'
      </script></body></html>`
    const frames = names.map((name, at) => [`/found/all_${at}.html`, frame(name)] as const)
    const { report, names: packed } = await run(
      searchable(markup, {
        '/menu.js': '0',
        '/search.html': search,
        '/results.js': results,
        ...Object.fromEntries(frames),
      }),
    )
    expect(packed).toEqual(expect.arrayContaining(frames.map(([path]) => path.slice(1))))
    for (const found of report.siteSearch?.words ?? []) expect(found).toMatchObject(everywhere(1))
    expect(report.siteSearch?.words).toHaveLength(3)
  })
})

test('a search on a server is not compared, and no word is sent to it', async () => {
  const markup = '<form action="/find"><input type="search" name="q"></form><script>document.title += "."</script>'
  const { report, requests } = await run(
    searchable(markup, {
      '/find': { headers: { 'content-type': 'text/html' }, body: '<h1>Find</h1><a href="/Tables.html">found</a>' },
    }),
  )
  expect(report.siteSearch).toBeNull()
  expect(requests.filter(path => path.includes('q='))).toEqual([])
})
