import { describe, expect, test } from 'vitest'
import { assetKey, createSite, isTrap, linkKey, linkTarget, normalizePath } from '../../../server/export/model/site.ts'

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
  expect(trap(`/${Array.from({ length: 41 }, (_, index) => `s${index}`).join('/')}`)).toBe(true)
  expect(trap(`/${'x'.repeat(2001)}`)).toBe(true)
  expect(trap('/library/os.path.html')).toBe(false)
})

test('slashes and percent escapes in a path are normalized', () => {
  expect(normalizePath('/a//b///c')).toBe('/a/b/c')
  expect(normalizePath('/%41%2f%7e%2e')).toBe('/A%2F~.')
})
