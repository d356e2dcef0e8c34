import { expect, test } from 'vitest'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'

const { run } = setUpBrowserlessExports()

test('drops pages that look like the not-found page of the site', async () => {
  const known: Record<string, string> = {
    '/': page('home', '<a href="/real">1</a><a href="/gone">2</a><a href="/robots-of-old.html">3</a>'),
    '/real': page('real'),
  }
  const { names, report } = await run(
    path => known[path] ?? `<h1>Sorry</h1><p>We looked everywhere and there is nothing at ${path} for you.</p>`,
  )
  expect(pagesOf(names)).toEqual(['index.html', 'real.html'])
  expect(report.deadLinks.map(({ to }) => to)).toEqual(['/gone', '/robots-of-old.html'])
})

test('drops pages that are redirected to the not-found page', async () => {
  const known: Record<string, string> = {
    '/': page('home', '<a href="/real">1</a><a href="/gone">2</a>'),
    '/real': page('real'),
    '/sorry': page('sorry'),
  }
  const { names } = await run(path => known[path] ?? { status: 302, headers: { location: '/sorry' } })
  expect(pagesOf(names)).toEqual(['index.html', 'real.html'])
})
