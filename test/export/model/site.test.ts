import { describe, expect, test } from 'vitest'
import {
  assetKey,
  createExclusions,
  createSite,
  isRouteKey,
  isTrap,
  linkKey,
  linkTarget,
  normalizePath,
  routeAnchor,
  routeFile,
  routeKey,
  routeOf,
} from '../../../server/export/model/site.ts'

const site = createSite('docs.example.com', new URL('http://127.0.0.1:8080/'))
const scoped = createSite('docs.example.com', new URL('https://docs.example.com/guide/'))

describe('all spellings of the address of a page have the same key', () => {
  test.each([
    ['/', '/'],
    ['/index.html', '/'],
    ['/?page=2', '/'],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['/a/index.html', '/a'],
    ['/a/INDEX.HTML', '/a/INDEX.HTML'],
    ['/a#part', '/a'],
    ['/a?x=1#part', '/a'],
    ['/a.html', '/a.html'],
    ['/a.html?x=1', '/a.html'],
    ['/v1.2', '/v1.2'],
    ['/file.pdf?version=2', '/file.pdf?version=2'],
  ])('%s', (address, path) => {
    expect(linkKey(new URL(address, site.origin))).toBe(`http://127.0.0.1:8080${path}`)
  })
})

test('a page is requested without query and fragment, a file with its query', () => {
  expect(linkTarget(new URL('http://a.example/x/?q=1#y')).href).toBe('http://a.example/x/')
  expect(linkTarget(new URL('http://a.example/x.zip?v=1#y')).href).toBe('http://a.example/x.zip?v=1')
  expect(assetKey(new URL('http://a.example/x.css?v=1#y'))).toBe('http://a.example/x.css?v=1')
})

describe('addresses of the site are mapped to its origin', () => {
  test.each([
    ['http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/a'],
    ['https://docs.example.com/a?x=1', 'http://127.0.0.1:8080/a?x=1'],
    ['http://docs.example.com/a', 'http://127.0.0.1:8080/a'],
    ['https://DOCS.example.com//a', 'http://127.0.0.1:8080/a'],
    ['https://docs.example.com/%7euser/%c3%a9', 'http://127.0.0.1:8080/~user/%C3%A9'],
    ['https://docs.example.com:8443/a', null],
    ['http://127.0.0.1:9090/a', null],
    ['https://example.com/a', null],
    ['https://docs.example.com.evil.example/a', null],
    ['https://user:secret@docs.example.com/a', null],
    ['ftp://docs.example.com/a', null],
    ['mailto:docs@docs.example.com', null],
  ])('%s', (address, own) => {
    expect(site.own(new URL(address))?.href ?? null).toBe(own)
  })
})

test('an origin with a path is the scope of the site', () => {
  const inScope = (path: string) => scoped.inScope(new URL(path, 'https://docs.example.com/'))
  expect(inScope('/guide/')).toBe(true)
  expect(inScope('/guide')).toBe(true)
  expect(inScope('/guide/a/b')).toBe(true)
  expect(inScope('/guidebook')).toBe(false)
  expect(inScope('/')).toBe(false)
  expect(createSite('a.example', new URL('http://a.example/x/start.html')).origin.pathname).toBe('/x/')
})

test('endless paths are traps', () => {
  const trap = (path: string) => isTrap(new URL(path, 'http://a.example/'))
  expect(trap('/a/b/a/b/a/b/a/b')).toBe(false)
  expect(trap('/a/b/a/b/a/b/a/b/a/b')).toBe(true)
  expect(trap(`/${Array.from({ length: 251 }, (_, index) => `s${index}`).join('/')}`)).toBe(true)
  expect(trap(`/${'x'.repeat(2001)}`)).toBe(true)
  expect(trap('/library/os.path.html')).toBe(false)
})

test('slashes and percent escapes in a path are normalized', () => {
  expect(normalizePath('/a//b///c')).toBe('/a/b/c')
  expect(normalizePath('/%41%2f%7e%2e')).toBe('/A%2F~.')
})

const root = 'https://docs.example.com'

describe('a fragment that begins with a slash names a page of an app', () => {
  test.each([
    ['/#/guide', '/guide', '/#/guide', ''],
    ['/#/guide?id=install', '/guide', '/#/guide', '#install'],
    ['/#/guide?a=1&id=%E4%B8%AD', '/guide', '/#/guide', '#%E4%B8%AD'],
    ['/#/guide#install', '/guide', '/#/guide', '#install'],
    ['/#/guide/', '/guide/', '/#/guide/', ''],
    ['/index.html#//a/../b%2dc', '/b-c', '/#/b-c', ''],
    ['/docs/?v=2#/中', '/%E4%B8%AD', '/docs#/%E4%B8%AD', ''],
    ['/#/', '/', '/', ''],
    ['/#/?id=install', '/', '/', '#install'],
  ])('%s', (address, route, key, anchor) => {
    const url = new URL(address, root)
    expect([routeOf(url), routeKey(url), routeAnchor(url)]).toEqual([route, root + key, anchor])
  })

  test.each(['/', '/#', '/#install', '/#!/guide', '/guide#a/b'])('no page of an app: %s', address => {
    const url = new URL(address, root)
    expect([routeOf(url), isRouteKey(routeKey(url)), routeAnchor(url)]).toEqual([null, false, ''])
  })
})

test.each([
  ['/#/guide', '/guide.html'],
  ['/#/guide/', '/guide/'],
  ['/docs#/api/v1.0', '/docs/api/v1.0.html'],
  ['/app.html#/guide', '/app/guide.html'],
])('the page %s gets the address %s', (key, path) => {
  expect(routeFile(root + key).href).toBe(root + path)
})

const local = createSite('docs.example.com', new URL('http://127.0.0.1:3000/'))

test.each([
  ['/internal/*', '/internal/notes', true],
  ['/internal/*', '/internal/', true],
  ['/internal/*', '/internal', true],
  ['/internal/*', '/internals', false],
  ['/internal/*', '/en/internal/notes', false],
  ['/internal', '/internal/', true],
  ['/internal/', '/internal', true],
  ['/internal', '/internal/index.html', true],
  ['/internal', '/internal/notes', false],
  ['/guide/intro', '/guide/intro.html', false],
  ['*/drafts/*', '/en/drafts/a', true],
  ['docs.example.com/internal/*', '/internal/notes', true],
  ['127.0.0.1:3000/internal/*', '/internal/notes', true],
  ['other.example.com/internal/*', '/internal/notes', false],
  ['/über/*', '/%C3%BCber/uns', true],
  ['/%C3%BCber/*', '/%C3%BCber/uns', true],
  ['/internal', '/internal?page=2', true],
  ['/index.php?title=Secret*', '/index.php?title=Secret_plan', true],
  ['/index.php?title=Secret*', '/index.php?title=Install', false],
])('%s excludes %s: %s', (pattern, path, want) => {
  expect(createExclusions([pattern], local).has(new URL(path, local.origin))).toBe(want)
})

describe('the report', () => {
  test('lists pages with patterns, and patterns without pages', () => {
    const exclusions = createExclusions(['/internal/*', '*/secret', '/nowhere/*'], local)
    for (const path of ['/internal/secret', '/a/secret', '/internal/secret'])
      exclusions.note(path, new URL(path, local.origin))
    expect(exclusions.list()).toEqual([
      { key: '/a/secret', pattern: '*/secret' },
      { key: '/internal/secret', pattern: '/internal/*' },
    ])
    expect(exclusions.notes()).toEqual([
      'The exclusion /nowhere/* matched no page of the site.',
      expect.stringContaining('links to them lead to https://docs.example.com.'),
    ])
  })

  test('lists the same thousand pages in any order', () => {
    const paths = Array.from({ length: 5000 }, (_, index) => `/x/${index}`)
    const list = (order: string[]) => {
      const exclusions = createExclusions(['/x/*'], local)
      for (const path of order) exclusions.note(path, new URL(path, local.origin))
      expect(exclusions.notes()).toContain('Only the first 1000 excluded pages are listed.')
      return exclusions.list()
    }
    expect(list(paths)).toHaveLength(1000)
    expect(list([...paths].reverse())).toEqual(list(paths))
  })
})
