import { afterEach, expect, test, vi } from 'vitest'
import { correctAddress } from '../../../server/in-page/guard/correct-address.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['https://host/a/b.html?x#y', '/a/b', '/a/', '/a/b?x#y'],
  ['https://host/a/b/', '/a/b', '/a/', '/a/b'],
  ['https://host/a/b/index.html', '/a/b/', '/a/b/', '/a/b/'],
  ['https://host/a/b', '/a/b/', '/a/b/', '/a/b/'],
  ['https://host/index.html', '/', '/', '/'],
  ['https://host/a/b', '/a/b', '/a/', null],
  ['https://host/a:b', '/a%3Ab', '/', null],
  // Its relative addresses are made for the folder /c/.
  ['https://host/c/', '/c', '/c/', null],
])('%s of the page %s in the folder %s becomes %s', (address, ownPath, folder, want) => {
  const replaced: unknown[] = []
  vi.stubGlobal('location', new URL(address))
  vi.stubGlobal('history', { state: null, replaceState: (...[, , to]: unknown[]) => replaced.push(to) })
  correctAddress(ownPath, folder)
  expect(replaced).toEqual(want === null ? [] : [want])
})

test('a refusal of the browser changes nothing', () => {
  vi.stubGlobal('location', new URL('https://host/a.html'))
  vi.stubGlobal('history', {
    replaceState() {
      throw new Error('sandboxed')
    },
  })
  expect(() => correctAddress('/a', '/')).not.toThrow()
})
