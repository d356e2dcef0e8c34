import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeOptions, type FakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
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

describe('a search that works', { timeout: 120_000 }, () => {
  test('is the same in all places, and the summary says nothing', async () => {
    // A text about modules makes no module of a script, which would be packed a second time.
    const script = `const text = \`\nexport default {}\`; ${finder(`show(${JSON.stringify(names)})`)}`
    const { report, entries } = await run(searchable(field, { '/find.js': script }))
    expect(entries.filter(({ name }) => name.startsWith('_quire/packed'))).toEqual([])
    expect(report.scripts.mode).toBe('everywhere')
    expect(report.siteSearch?.words).toHaveLength(3)
    for (const found of report.siteSearch?.words ?? []) expect(found).toMatchObject(everywhere(1))
  })

  test('is tried with words of headings if all pages have one title', async () => {
    const site = searchable(field, { '/find.js': finder(`show(${JSON.stringify(names)})`) }, 'The Site')
    const { report } = await run(site)
    expect(report.siteSearch?.words.map(({ word }) => word).sort()).toEqual(names.toSorted().slice(0, 3))
  })

  test('imports its engine on file:// too, which loads one part of its index for each word', async () => {
    const engine = `
      const part = word => fetch(new URL('parts/' + word.toLowerCase() + '.part', import.meta.url))
      export const search = async word => (await part(word).catch(() => ({}))).ok ? [word] : []`
    const finds = `const parts = ${JSON.stringify(names.map(name => name.toLowerCase()))}
      const engine = document.currentScript.src.replace('find.js', 'engine/engine.js')
      ${finder('import(engine).then(({ search }) => search(field.value)).then(show)')}`
    const parts = Object.fromEntries(names.map(name => [`/engine/parts/${name.toLowerCase()}.part`, name]))
    const { report, entries } = await run(
      searchable(field, { '/find.js': finds, '/engine/engine.js': engine, ...parts }),
    )
    expect(report.siteSearch?.words).toHaveLength(3)
    for (const found of report.siteSearch?.words ?? []) expect(found).toMatchObject(everywhere(1))
    const packed = readEntry(entries, '_quire/packed.js')
    for (const path of Object.keys(parts)) expect(packed).toContain(`"${path.slice(1)}"`)
  })
})

describe('a search that finds nothing in the bundle', { timeout: 120_000 }, () => {
  const absolute = finder('fetch(["", "names.json"].join("/")).then(it => it.json()).then(show).catch(() => {})')
  const site = searchable(field, { '/find.js': absolute, '/names.json': JSON.stringify(names) })

  test('is in the report with its remedy', async () => {
    const { report, entries } = await run(site)
    expect(report.differences).toEqual([])
    expect(report.siteSearch).toMatchObject({ page: 'index.html' })
    for (const found of report.siteSearch?.words ?? [])
      expect(found).toMatchObject({ origin: 1, root: 1, folder: 0, file: 0 })
    expect(report.siteSearch?.words).toHaveLength(3)
    expect(readEntry(entries, 'export-report.html')).toMatch(
      /The search of the site finds 1 hit for &quot;\w+&quot; at the origin, and none in a folder of a host and from file:\/\/\. Export with --offline-search/,
    )
  })

  test('is in the report if it asks its server by POST', async () => {
    const ask = finder(
      "fetch('api/search', { method: 'POST', body: field.value }).then(it => it.json()).then(show).catch(() => {})",
    )
    const { report, requests } = await run(searchable(field, { '/find.js': ask, '/api/search': JSON.stringify(names) }))
    expect(report.notes).toContainEqual(
      'The search of the site asks its server for /api/search, so it finds nothing in the bundle. Export with --offline-search to get a search that works everywhere.',
    )
    expect(requests).not.toContain('/api/search')
  })

  test('is said not to be compared if it finds nothing at the origin either', async () => {
    const { report } = await run(searchable(field, { '/find.js': '' }))
    expect(report.siteSearch).toBeNull()
    expect(report.notes).toContainEqual(
      'The search of the site found nothing at the origin either, so it was not compared. --offline-search adds a search that works everywhere.',
    )
  })

  test('is not compared without a browser', async () => {
    const { report } = await run(site, { verify: 'static' })
    expect(report.siteSearch).toBeNull()
  })
})
