import { expect, test } from 'vitest'
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
