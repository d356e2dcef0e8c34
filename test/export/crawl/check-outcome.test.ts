import { describe, expect, test } from 'vitest'
import { findLoss, listLostPages } from '../../../server/export/crawl/check-outcome.ts'
import { softMissing } from '../../../server/export/crawl/frontier.ts'
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

const url = new URL('https://docs.example.com/p1')
const correct = 'Correct `paths` (--path) and start again.'

function lose(
  outcome: PageOutcome | undefined,
  { isExcluded = false, hasPages = true, to = undefined as PageOutcome | undefined } = {},
) {
  const pages = new Map<string, PageOutcome>()
  if (outcome) pages.set(url.href, outcome)
  if (to) pages.set('https://docs.example.com/p2', to)
  const exclusions = { has: ({ pathname }: URL) => isExcluded && pathname === '/p1' }
  return findLoss({ site, pages, exclusions } as never, url, hasPages)
}

describe('a wanted page that is lost has a reason and the remedy', () => {
  test.each<[PageOutcome, string, string, string]>([
    [{ state: 'missing', reason: 'status 404' }, 'status 404', correct, 'not_found'],
    [softMissing, 'same response as the not-found page of the site', correct, 'not_found'],
    [
      { state: 'skipped', reason: 'refused by robots.txt' },
      'refused by robots.txt',
      'If docs.example.com is yours, set its origin or pass --ignore-robots.',
      'robots',
    ],
    [
      { state: 'missing', reason: 'status 401' },
      'status 401',
      'Record a login with npx quire login, use npx quire export --header, or set an origin that needs none.',
      'not_found',
    ],
    [
      { state: 'failed', reason: 'status 502' },
      'status 502',
      'Start again when docs.example.com answers.',
      'unreachable',
    ],
    [
      { state: 'skipped', reason: 'larger than the limit of 98 KB' },
      'larger than the limit of 98 KB',
      'Raise the limit.',
      'too_large',
    ],
    [
      { state: 'elsewhere', url: new URL('https://other.example/') },
      'redirects to other.example',
      'Export that domain, or set the origin of docs.example.com.',
      'leaves_domain',
    ],
    [{ state: 'redirect', to: url.href }, 'its redirects do not end at a page', correct, 'not_found'],
  ])('%j', (outcome, reason, remedy, code) => {
    expect(lose(outcome)).toEqual({ path: '/p1', reason, remedy, code })
  })

  test('the reason of a redirect is that of its target', () => {
    const redirect = { state: 'redirect', to: 'https://docs.example.com/p2' } as const
    expect(lose(redirect, { to: { state: 'missing', reason: 'status 410' } })?.reason).toBe('status 410')
  })

  test('an excluded page', () => {
    expect(lose(undefined, { isExcluded: true })).toMatchObject({
      reason: 'excluded by your rules',
      remedy: 'Correct `paths` (--path) and start again, or exclude fewer pages (--exclude).',
    })
  })
})

test('a file is lost only if the bundle has no page', () => {
  const file = { state: 'file', key: url.href } as const
  expect(lose(file)).toBeUndefined()
  expect(lose(file, { hasPages: false })).toMatchObject({ reason: 'not an HTML page', remedy: correct })
})
