import { afterEach, describe, expect, test } from 'vitest'
import { exportFakeSite, type FakeAnswer, type FakeSite, page, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'

let site: RunningServer | undefined

afterEach(() => site?.close())

const names = ['Main_Page', ...Array.from({ length: 59 }, (_, index) => `Topic_${index}`)]

/** A wiki of 60 pages behind one script. `start` answers the script without a query. */
function wiki(script: string, start: 'page' | 'redirect' | 'missing') {
  return (path: string): string | FakeAnswer | undefined => {
    const { pathname, searchParams } = new URL(path, 'http://x/')
    const toMain = { status: 302, headers: { location: `${script}?title=Main_Page` } }
    if (pathname === '/' && script !== '/') return toMain
    if (pathname !== script) return undefined
    const title = searchParams.get('title') ?? (start === 'page' ? 'Main_Page' : null)
    if (title === null) return start === 'redirect' ? toMain : undefined
    const links = names.map(name => `<a href="${script}?title=${name}">${name}</a>`)
    return names.includes(title) ? page(title, links.join(' ')) : undefined
  }
}

test.each([
  ['a script that redirects to a page', '/index.php', 'redirect', '/index.php'],
  ['a script that answers with its first page', '/index.php', 'page', '/index.php'],
  ['a script in a folder', '/w/index.php', 'redirect', '/w/index.php'],
  ['a script with a query', '/index.php', 'missing', '/index.php?title=Main_Page'],
  ['a root with a query', '/', 'missing', '/?title=Main_Page'],
  ['a root that redirects to a query', '/', 'redirect', '/'],
  ['a root whose queries are pages', '/', 'page', '/'],
  ['a script of another language', '/wiki.aspx', 'page', '/wiki.aspx'],
] as const)('all pages of a wiki are exported if the start address is %s', async (_, script, start, address) => {
  site = await startFakeSite(wiki(script, start))
  const { report, names: files, entries } = await exportFakeSite(new URL(address, site.origin), { verify: 'static' })
  const bundle = entries.map(({ content }) => content.toString('latin1'))
  expect(names.filter(name => !bundle.some(text => text.includes(`<h1>${name}</h1>`)))).toEqual([])
  expect(report.pages).toBeLessThanOrEqual(names.length + 1)
  expect(files).toContain('index.html')
})

describe('an export of far fewer pages than the site links fails and says which ones', () => {
  const menu = (links: readonly string[]) => `<nav>${links.map(link => `<a href="${link}">x</a>`).join('')}</nav>`
  const topics = names.slice(1, 21)
  const wanted = topics.map(name => `/wiki/${name}`)
  const rows: [string, string, FakeSite, string][] = [
    [
      'beside an address that is a page',
      '/wiki/Main_Page',
      path => (path.startsWith('/wiki/') && path.at(-1) !== '/' ? page(path, menu(wanted)) : undefined),
      '/wiki/Topic_0 (outside of /wiki/Main_Page/; export /wiki/)',
    ],
    [
      'that are missing',
      '/',
      path => (path === '/' ? page('home', menu(wanted)) : undefined),
      '/wiki/Topic_0 (status 404)',
    ],
    [
      'that redirect to one page',
      '/',
      path =>
        ['/', '/login'].includes(path) ? page(path, menu(wanted)) : { status: 302, headers: { location: '/login' } },
      '/wiki/Topic_0 (redirect',
    ],
  ]
  test.each(rows)('%s', async (_, address, answers, named) => {
    site = await startFakeSite(answers)
    const origin = new URL(address, site.origin)
    const error = await exportFakeSite(origin, { verify: 'static' }).catch(error => error)
    expect(error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('or accept the loss (--allow-loss)'),
    })
    expect(error.message).toContain(named)
    const { report } = await exportFakeSite(origin, { verify: 'static', allowLoss: true })
    expect(report.notes[0]).toMatch(/^The site links \d+ pages that the bundle lacks, many more than it has: /)
  })
})

test('a site with a few dead links is exported', async () => {
  const links = names.slice(0, 9).map(name => `<a href="/${name}">x</a>`)
  site = await startFakeSite({ '/': page('home', `<nav>${links.join('')}</nav>`) })
  expect((await exportFakeSite(site.origin, { verify: 'static' })).report.deadLinks).toHaveLength(9)
})
