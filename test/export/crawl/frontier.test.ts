import { describe, expect, test } from 'vitest'
import { createFrontier } from '../../../server/export/crawl/frontier.ts'
import type { PageOutcome } from '../../../server/export/model/resource.ts'
import { createExclusions, createSite, linkKey } from '../../../server/export/model/site.ts'

const site = createSite('docs.example.com', new URL('https://docs.example.com/'))
const url = (path: string) => new URL(path, site.origin)
const page = (path: string): PageOutcome => ({
  state: 'page',
  resource: {
    ...{ key: linkKey(url(path)), url: url(path), kind: 'page', type: 'text/html', charset: 'utf-8', file: 'x' },
    ...{ span: null, sizeBytes: 1, sha256: '', rendered: false, hasScripts: false },
  },
})

function open(limits = { pages: 10, links: 10 }, excluded: string[] = []) {
  const pages = new Map<string, PageOutcome>()
  const frontier = createFrontier({ limits, exclusions: createExclusions(excluded, site), pages })
  const add = (...paths: string[]) => paths.map(path => frontier.add(linkKey(url(path)), url(path)))
  const paths = () => frontier.take().map(({ key }) => new URL(key).pathname)
  return { frontier, pages, add, paths }
}

test('a generation has each page once, sorted, for any order of the links', () => {
  const { frontier, add, paths } = open()
  add('/b', '/a', '/b', '/c', '/a/')
  expect([frontier.size(), paths(), paths(), frontier.isEmpty()]).toEqual([3, ['/a', '/b', '/c'], [], true])
})

test('each link is a vote for its spelling, and at most four spellings are kept', () => {
  const { frontier, add } = open()
  add('/a', '/a/', '/a/', '/a/index.html', '/a//', '/a///')
  expect(frontier.take()).toMatchObject([
    { targets: ['/a', '/a/', '/a/index.html', '/a//'].map(path => url(path).href), votes: [1, 2, 1, 1], tried: 0 },
  ])
})

test('a missing page is visited again when another spelling is linked', () => {
  const { frontier, pages, add, paths } = open()
  add('/a')
  const [candidate] = frontier.take()
  if (candidate) candidate.tried = 1
  pages.set(linkKey(url('/a')), { state: 'missing', reason: 'status 404' })
  add('/a')
  expect(paths()).toEqual([])
  add('/a/')
  expect(paths()).toEqual(['/a'])
})

test('excluded pages are not visited', () => {
  const { frontier, add, paths } = open(undefined, ['/private/**'])
  expect(add('/private/a', '/a')).toEqual([false, true])
  expect([paths(), frontier.has(linkKey(url('/private/a')))]).toEqual([['/a'], false])
})

describe('limits', () => {
  test('pages past the limit of pages are reported as unvisited', () => {
    const { frontier, pages, add, paths } = open({ pages: 2, links: 10 })
    add('/a', '/c', '/b')
    expect(paths()).toEqual(['/a', '/b'])
    for (const path of ['/a', '/b']) pages.set(linkKey(url(path)), page(path))
    expect([paths(), frontier.isEmpty()]).toEqual([[], true])
    expect(pages.get(linkKey(url('/c')))).toEqual({ state: 'unvisited', reason: 'past the limit of 2 pages' })
  })

  test('pages past the limit of links are reported as unvisited, unless their state is known', () => {
    const { pages, add, paths } = open({ pages: 10, links: 1 })
    add('/a', '/b', '/c')
    pages.set(linkKey(url('/b')), { state: 'failed', reason: 'status 500' })
    expect([paths(), paths()]).toEqual([['/a'], []])
    expect([pages.get(linkKey(url('/b')))?.state, pages.get(linkKey(url('/c')))]).toEqual([
      'failed',
      { state: 'unvisited', reason: 'past the limit of 1 links' },
    ])
  })

  test('enough links are kept to name a thousand in the report', () => {
    const { frontier, add } = open({ pages: 10, links: 1 })
    const paths = Array.from({ length: 2002 }, (_, index) => `/${10_000 + index}`)
    add(...paths)
    expect([frontier.isCut(), frontier.size()]).toEqual([false, 2002])
    add('/20000')
    expect([frontier.isCut(), frontier.size()]).toEqual([true, 1001])
    expect(frontier.take()[0]?.key).toBe(linkKey(url('/10000')))
  })
})
