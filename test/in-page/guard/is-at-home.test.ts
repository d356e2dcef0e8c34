import { afterEach, expect, test, vi } from 'vitest'
import { isAtHome } from '../../../server/in-page/guard/is-at-home.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['https://host/a/b', '/a/b', true],
  ['http://host/a/b/', '/a/b', true],
  ['https://host/a/b.html', '/a/b', true],
  ['https://host/a/b/index.html', '/a/b', true],
  ['https://host/a/b.xhtml', '/a/b/', true],
  ['https://host/index.html', '/', true],
  ['https://host/%C3%BC?x#y', '/ü', true],
  ['https://host/100%', '/100%', true],
  ['https://host/folder/a/b', '/a/b', false],
  ['https://host/a', '/a/b', false],
  ['file:///a/b', '/a/b', false],
  ['https://host/any/path', null, true],
  ['file:///any/path', null, false],
])('%s, written for %s: %s', (address, ownPath, want) => {
  vi.stubGlobal('location', new URL(address))
  expect(isAtHome(ownPath)).toBe(want)
})
