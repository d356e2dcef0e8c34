import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'

let server: RunningServer | undefined

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  await server?.close()
})

const words = (name: string) => Array.from({ length: 70 }, (_, index) => `${name}${index}`).join(' ')
const links = (paths: readonly string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join(' ')
/** A page that is complete without scripts. Its script adds a few links. */
const written = (path: string, paths: readonly string[]) =>
  `<!doctype html><html><head><title>${path}</title></head><body><h1>${path}</h1><p>${words(path)}</p>${links(paths)}<nav id="more"></nav><script src="/more.js"></script></body></html>`

async function run(sent: Record<string, readonly string[]>, added: Record<string, readonly string[]>) {
  const markup = Object.fromEntries(Object.entries(added).map(([path, paths]) => [path, links(paths)]))
  const program = `document.getElementById('more').innerHTML = (${JSON.stringify(markup)})[location.pathname] || ''`
  const asked: string[] = []
  server = await startFakeSite(path => {
    asked.push(path)
    if (path === '/more.js') return program
    const known = sent[path]
    return known && written(path, known)
  })
  const exported = await exportFakeSite(server.origin)
  const pages = exported.names
    .filter(name => name.endsWith('.html') && name !== 'export-report.html')
    .map(name => `/${name.replace(/(index)?\.html$/, '')}`)
    .sort()
  const again = await exportFakeSite(server.origin)
  expect(again.sha256).toBe(exported.sha256)
  // In a folder, the links that scripts add are lost, and the report says so.
  const notes = exported.report.notes.filter(note => !note.startsWith('Lost text'))
  return { pages, asked, notes, exported }
}

test('links in a menu that a script fills are followed', {}, async () => {
  const menu = ['/b', '/c', '/gone']
  const { pages, notes } = await run(
    { '/': ['/a'], '/a': [], '/b': [], '/c': ['/d'], '/d': [] },
    { '/': menu, '/a': menu },
  )
  expect(pages).toEqual(['/', '/a', '/b', '/c', '/d'])
  expect(notes).toEqual([
    '2 pages are linked only from content that scripts add, such as /b. To find them, Quire opened 1 more page in a browser.',
  ])
})

test('if scripts add different links to each page, all pages of the template are opened', {}, async () => {
  const names = ['/a', '/b', '/c', '/d']
  const sent = Object.fromEntries([
    ['/', names],
    ...names.flatMap(name => [[name, []] as const, [`${name}-more`, []] as const]),
  ])
  const added = Object.fromEntries(names.map(name => [name, [`${name}-more`]]))
  const { pages, notes } = await run({ ...sent, '/more': [] }, { ...added, '/': ['/more'] })
  expect(pages).toEqual(['/', '/a', '/a-more', '/b', '/b-more', '/c', '/c-more', '/d', '/d-more', '/more'])
  expect(notes).toEqual([
    expect.stringMatching(/^5 pages are linked only from content that scripts add, such as \/a-more\. To find them, /),
  ])
})

test('if scripts add only links to known or missing pages, no further page is opened', {}, async () => {
  const { pages, notes, exported } = await run({ '/': ['/a'], '/a': ['/b'], '/b': [] }, { '/': ['/a', '/gone'] })
  expect(pages).toEqual(['/', '/a', '/b'])
  expect(notes).toEqual([])
  expect(exported.report.comparedPages).toEqual(['/'])
})
