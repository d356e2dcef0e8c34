import { expect, test } from 'vitest'
import { listLostPages } from '../../../server/export/crawl/expected-pages.ts'
import type { PageOutcome } from '../../../server/export/model/resource.ts'
import { createSite } from '../../../server/export/model/site.ts'

const site = createSite('docs.example.com', new URL('https://docs.example.com/'))
const key = (path: string) => `https://docs.example.com${path}`

test('a page is expected if a redirect leads to it from a page of the navigation', () => {
  const pages = new Map<string, PageOutcome>([
    [key('/old'), { state: 'redirect', to: key('/older') }],
    [key('/older'), { state: 'redirect', to: key('/b?page=2') }],
    [key('/b?page=2'), { state: 'failed', reason: 'status 500' }],
    [key('/a'), { state: 'failed', reason: 'status 502' }],
    [key('/loop'), { state: 'redirect', to: key('/loop') }],
    [key('/gone'), { state: 'missing', reason: 'status 404' }],
  ])
  const listed = new Set([key('/old'), key('/loop'), key('/gone')])
  expect(listLostPages(pages, found => listed.has(found), site)).toEqual([
    { path: '/a', reason: 'status 502', isExpected: false },
    { path: '/b?page=2', reason: 'status 500', isExpected: true },
  ])
})
