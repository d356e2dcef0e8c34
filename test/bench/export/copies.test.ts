import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareLinks, createIsAlive } from '../../../scripts/bench/export/copy-links.ts'
import { sizeCopy } from '../../../scripts/bench/export/size-copy.ts'
import { findFile, serveStatic } from '../../../scripts/bench/export/static-server.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-copies-'))
  for (const path of ['index.html', 'a/index.html', 'b.html', 'c d/e.html', 'style.css']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), path)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['/', 'index.html'],
  ['/a/', 'a/index.html'],
  ['/a', 'a/index.html'],
  ['/b', 'b.html'],
  ['/b.html', 'b.html'],
  ['/c%20d/e', 'c d/e.html'],
  ['/b/', undefined],
  ['/nowhere', undefined],
  ['/%00', undefined],
  ['/%zz', undefined],
  ['/..%2f..%2fetc%2fpasswd', undefined],
  [`/${'x'.repeat(300)}`, undefined],
])('a static host answers %s from %s', (path, want) => {
  expect(findFile(folder, path)?.file).toBe(want && join(folder, want))
})

test('a host can redirect /a to /a/, and can answer unknown paths, except files, with the home page', async () => {
  const options = { redirectsFolders: true, hasFallback: true, prefix: '/docs/' }
  const server = await serveStatic(folder, options)
  try {
    const ask = (path: string) => fetch(new URL(path, server.root), { redirect: 'manual' })
    const moved = await ask('a')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/docs/a/'])
    expect(await (await ask('any/page')).text()).toBe('index.html')
    expect((await ask('any/file.js')).status).toBe(404)
    const styled = await ask('style.css')
    expect(styled.headers.get('content-type')).toBe('text/css')
    const etag = styled.headers.get('etag') ?? ''
    const again = await fetch(new URL('style.css', server.root), { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
  } finally {
    await server.close()
  }
})

test('the size of a copy counts only pages of the site', () => {
  const copy = sizeCopy(folder, ['/', '/a', '/b.html', '/gone'])
  expect(copy).toMatchObject({ pages: 3, missing: ['/gone'], files: 5 })
})

test('if every path is answered, only the pages of the site are alive', () => {
  const site = { folder, pages: ['/', '/x/y'] }
  const isAlive = createIsAlive(site, true)
  expect(['/x/y', '/x/y/', '/style.css', '/a', '/nowhere'].filter(isAlive)).toEqual(['/x/y', '/x/y/', '/style.css'])
  expect(createIsAlive(site, false)('/a')).toBe(true)
})

test('a link is broken if the origin has its target, and lost if the copy has the target without the link', () => {
  const isAlive = (path: string) => path !== '/dead'
  const original = { root: 'http://origin.test/', links: ['http://origin.test/a', 'http://origin.test/b'] }
  const place = { folder, root: 'http://copy.test/sub/' }
  const compare = (links: string[], at = place) => compareLinks(original, { links, place: at }, isAlive)
  const a = 'http://copy.test/sub/a/'
  const b = 'http://copy.test/sub/b.html'
  expect(compare([a, b, 'https://elsewhere.test/', 'http://copy.test/sub/dead'])).toEqual({ broken: [], lost: [] })
  expect(compare([a])).toEqual({ broken: [], lost: ['/b'] })
  expect(compare([a, b, 'http://copy.test/sub/gone']).broken).toEqual(['http://copy.test/sub/gone'])
  expect(compare([a, b, 'http://origin.test/a']).broken).toEqual(['http://origin.test/a'])
  expect(compare([a, b, 'http://copy.test/a']).broken).toEqual(['http://copy.test/a'])
})

test('in a copy opened from file://, a link must lead to a file, not to a folder', () => {
  const root = pathToFileURL(`${folder}/`).href
  const original = { root: 'http://origin.test/', links: ['http://origin.test/a'] }
  const compare = (link: string) => compareLinks(original, { links: [link], place: { folder, root } }, () => true)
  expect(compare(`${root}a/index.html`)).toEqual({ broken: [], lost: [] })
  expect(compare(`${root}a/`)).toEqual({ broken: [`${root}a/`], lost: ['/a'] })
})
