import { expect, test } from 'vitest'
import { findLinkData } from '../../../server/web/browser/page-look.ts'

const links = ['/', '/a/b', '/a/c/', '/d.html', '/own'].map(path => `http://site${path}`)

test.each([
  ['/a/b?_rsc=1', true],
  ['/a/b.txt', true],
  ['/a/c/index.txt?_rsc=1', true],
  ['/a/c/_payload.json', true],
  ['/a/b/__data.json', true],
  ['/d', true],
  ['/_data/build-7/a/b.json', true],
  ['/x/b.json', false],
  ['/own.json', false],
  ['/search-index.json', false],
  ['/chunk.js', false],
  ['/', false],
])('%s is data of a linked page: %s', (path, want) => {
  const address = `http://site${path}`
  expect(findLinkData([address], links, 'http://site/own')).toEqual(want ? [address] : [])
})
