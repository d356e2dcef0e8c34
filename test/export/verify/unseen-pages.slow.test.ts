import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import {
  type Exported,
  exportFakeSite,
  type FakeOptions,
  type FakeSite,
  nextFiles,
  startFakeSite,
} from '../fake-site.ts'
import { listOwnFaults } from '../own-check.ts'
import type { RunningServer } from '../static-server.ts'

const servers: RunningServer[] = []

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** Exports a site, and opens every page of the bundle in all places. */
async function run(site: FakeSite, options: FakeOptions = {}) {
  const server = await startFakeSite(site)
  servers.push(server)
  const { outFile } = nextFiles()
  const exported = await exportFakeSite(server.origin, { outFile, ...options })
  return { ...exported, faults: await listOwnFaults(outFile) }
}

const words = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}word${index}`).join(' ')
const count = 30
/** The data of a page is named by a number that its address does not tell. */
const recordOf = (page: number) => 100 + ((page * 17) % 97)
const pathOf = (page: number) => (page === 0 ? '/' : `/page-${page}.html`)
const pages = Array.from({ length: count }, (_, page) => page)

/** Makes a site whose pages load a section of 41 words by one shared script. */
function recordSite(base: string): Record<string, string> {
  const links = pages.map(page => `<a href="${pathOf(page)}">${page}</a>`).join(' ')
  const show = `
    const { content } = document.querySelector('meta[name=record]')
    fetch('${base}data/' + content + '.json').then(it => it.json()).then(({ text }) => {
      const section = document.createElement('section')
      section.textContent = text
      document.querySelector('main').append(section)
    })`
  const site: Record<string, string> = { '/app.js': show }
  for (const page of pages) {
    site[pathOf(page)] =
      `<!doctype html><html><head><meta charset="utf-8"><title>${page}</title><meta name="record" content="${recordOf(page)}"><script src="/app.js" defer></script></head><body><nav>${links}</nav><main><h1>Page ${page}</h1><p>${words(`p${page}`, 450)}</p></main></body></html>`
    site[`/data/${recordOf(page)}.json`] = JSON.stringify({ text: `Record ${words(`r${page}`, 40)}` })
  }
  return site
}

describe('the data that each page loads by a shared script', () => {
  const dataOf = ({ names }: Pick<Exported, 'names'>) => names.filter(name => /^data\/\d+\.json$/.test(name)).length

  test('is packed for all pages, and runs at the root if its address is absolute', async () => {
    const exported = await run(recordSite('/'))
    expect(dataOf(exported)).toBe(count)
    expect(exported.faults).toEqual([])
    expect(exported.report.scripts).toMatchObject({ mode: 'guarded', groups: [{ pages: count, unlike: [] }] })
    expect(exported.report.differences.filter(({ place }) => place === 'root')).toEqual([])
    expect(exported.report.differences).toContainEqual(expect.objectContaining({ place: 'folder' }))
  })

  test('is packed for all pages and all places if its address is relative', async () => {
    const exported = await run(recordSite('./'))
    expect(dataOf(exported)).toBe(count)
    expect(exported.faults).toEqual([])
    expect(exported.report.scripts).toMatchObject({ mode: 'everywhere' })
    expect(exported.report.differences).toEqual([])
  })
})

describe('one page with a live-reload socket', () => {
  const names = Array.from({ length: 11 }, (_, page) => `part-${page}`)
  const live = "<script>new WebSocket('ws://' + location.host + '/livereload')</script>"

  /** Makes a site of which each page shows what its own module, or one for all, puts in place of a word. */
  function liveSite(scriptOf: (name: string) => string): Record<string, string> {
    const links = names.map(name => `<a href="/${name}.html">${name}</a>`).join(' ')
    const write = (name: string, more: string) =>
      `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body><nav>${links}</nav><main><h1>${name}</h1><p id="state">waiting</p><p>${words(name, 200)}</p></main><script type="module" src="/${scriptOf(name)}.js"></script>${more}</body></html>`
    const site: Record<string, string> = { '/': write('home', live) }
    for (const name of ['home', ...names])
      site[`/${scriptOf(name)}.js`] = "document.querySelector('#state').textContent = 'module ran'"
    for (const name of names) site[`/${name}.html`] = write(name, '')
    return site
  }

  test.each([
    ['each page has its own script', (name: string) => `own-${name}`],
    ['all pages have one script', () => 'shared'],
  ])('takes no scripts from other pages (%s)', async (_, scriptOf) => {
    const { report, faults } = await run(liveSite(scriptOf))
    expect(report.scripts.groups.map(({ mode }) => mode)).toEqual(report.scripts.groups.map(() => 'hosted'))
    // Browsers refuse modules on file://. Two words are lost there, and the report says so of each opened page.
    expect(report.differences).toEqual(
      report.scripts.checkedPages
        .toSorted()
        .map(page => expect.objectContaining({ page, place: 'file', loss: { words: 2, repeated: 0, of: 214 } })),
    )
    expect(faults).toEqual([])
  })
})

describe('an export that is done passes its own check, on all pages in all places', () => {
  const names = Array.from({ length: 20 }, (_, page) => `part-${page}`)
  const cases: { fact: string; script: string }[] = [
    { fact: 'errors in the bundle on half of the pages', script: "if (isBundle && page % 2) throw new Error('odd')" },
    { fact: 'an error on each page, also at the origin', script: "throw new Error('page ' + page)" },
    {
      fact: 'a request that fails at the origin too',
      script: "fetch('/gone/' + page + '.json').then(it => it.json())",
    },
    { fact: 'text that is missing on half of the pages', script: "if (isBundle && page % 2) it.textContent = ''" },
  ]

  test.each(cases)('$fact', async ({ script }) => {
    const links = names.map(name => `<a href="/${name}.html">${name}</a>`).join(' ')
    const site = Object.fromEntries(
      names.map((name, page) => [
        page === 0 ? '/' : `/${name}.html`,
        `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body data-page="${page}"><nav>${links}</nav><main><h1>${name}</h1><p id="it">${words(name, 12)}</p><p>${words(`${name}more`, 200)}</p></main><script src="/app.js"></script></body></html>`,
      ]),
    )
    const head =
      "const isBundle = !location.port, page = document.body.dataset.page, it = document.querySelector('#it');"
    const exported = await run({ ...site, '/app.js': `{ ${head} ${script} }` })
    expect(exported.faults).toEqual([])
    expect(exported.report.scripts.heldOutPages.length).toBeGreaterThanOrEqual(5)
  })
})
