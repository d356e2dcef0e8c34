import { expect, test } from 'vitest'
import { parseRobots } from '../../../server/export/crawl/robots.ts'
import { recordLongSleeps } from '../../support/recorded-sleeps.ts'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'

const { run } = setUpBrowserlessExports()

test('robots.txt is obeyed on request, not by default', async () => {
  const site = {
    '/': page('home', '<a href="/private/x">x</a>'),
    '/private/x': page('x'),
    '/robots.txt': 'User-agent: *\nDisallow: /private/',
  }
  const own = await run(site)
  expect(pagesOf(own.names)).toEqual(['index.html', 'private/x.html'])
  const others = await run(site, { obeyRobots: true })
  expect(pagesOf(others.names)).toEqual(['index.html'])
  expect(others.report.skipped).toEqual([{ url: '/private/x', reason: 'refused by robots.txt' }])
  await expect(
    run({ ...site, '/robots.txt': 'User-agent: *\nDisallow: /' }, { obeyRobots: true }),
  ).rejects.toMatchObject({ code: 'robots' })
})

test('a crawl delay is obeyed on request, not by default', async () => {
  const site = {
    '/': page('home', '<a href="/1">1</a><a href="/2">2</a>'),
    '/1': page('1'),
    '/2': page('2'),
    '/robots.txt': 'User-agent: *\nCrawl-delay: 9',
  }
  const slept = recordLongSleeps(5000)
  await run(site, { obeyRobots: true })
  // At least four requests wait, for sitemaps and then pages. There is one crawl delay before each of them.
  expect(slept.length).toBeGreaterThanOrEqual(4)
  for (const ms of slept) expect(Math.round(ms / 9000)).toBe(1)
  slept.length = 0
  await run(site)
  expect(slept).toEqual([])
})

test.each<[fact: string, lines: string[], path: string, isAllowed: boolean]>([
  ['the longest pattern decides', ['User-agent: *', 'Disallow: /a', 'Allow: /a/b'], '/a/b', true],
  [
    'of two patterns of one length, the one that allows decides',
    ['User-agent: *', 'Disallow: /a', 'Allow: /*'],
    '/a',
    true,
  ],
  ['a wildcard stands for any text', ['User-agent: *', 'Disallow: /*/b*.js'], '/a/x/b/c.js?d', false],
  ['a dollar sign ends the address', ['User-agent: *', 'Disallow: /*.js$'], '/a.js?b', true],
  ['a dollar sign after a wildcard ends any address', ['User-agent: *', 'Disallow: /a*$'], '/a.js?b', false],
  ['escapes are compared without case', ['User-agent: *', 'Disallow: /%c3%a9', 'Disallow: /ü'], '/%C3%BC', false],
  [
    'the group of the name replaces that of all',
    ['User-agent: *', 'Disallow: /', 'user-agent: Quire/2', 'Allow: /'],
    '/a',
    true,
  ],
  ['a group has several names', ['User-agent: quire', 'User-agent: other', 'Disallow: /a'], '/a', false],
  [
    'groups of one name are joined',
    ['User-agent: Quire', 'Disallow: /a', 'User-agent: Quire', 'Disallow: /b'],
    '/a',
    false,
  ],
  ['an empty rule allows all', ['User-agent: *', 'Disallow: /', 'User-agent: Quire', 'Disallow:'], '/a', true],
  ['a name without rules is no group', ['User-agent: *', 'Disallow: /a', 'User-agent: Quire'], '/a', false],
  ['a comment ends a line', ['User-agent: * # all', 'Disallow: /a # x', '# Disallow: /b'], '/b', true],
  ['a line longer than 2000 characters is skipped', ['User-agent: *', `Disallow: /${'*'.repeat(2000)}`], '/a', true],
])('robots.txt: %s', (_, lines, path, isAllowed) => {
  const robots = parseRobots(lines.join('\r\n'), 'http://a', 'Quire/0.1 (+x)')
  expect(robots.isAllowed(new URL(path, 'http://a'))).toBe(isAllowed)
  expect(robots.isAllowed(new URL(path, 'http://b'))).toBe(true)
})

test('robots.txt names sitemaps and a delay', () => {
  const text = 'Sitemap: /a.xml\nUser-agent: *\nCrawl-delay: 2.5\nsitemap:http://a/b.xml\nCrawl-delay: x'
  expect(parseRobots(text, 'http://a', 'Quire')).toMatchObject({
    delaySeconds: 2.5,
    sitemaps: ['/a.xml', 'http://a/b.xml'],
  })
})
