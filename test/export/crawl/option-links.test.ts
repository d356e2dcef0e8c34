import { expect, test } from 'vitest'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

test('pages that only a menu of options names are exported, and the options lead to them', async () => {
  const values = [
    '/v1/',
    'v2/index.html',
    '../v3',
    'https://docs.example.com/v4',
    '/gone',
    '/dev/sda1',
    'stable',
    'a b.html',
  ]
  const options = values.map(value => `<option value="${value}">x</option>`).join('')
  const { names, entries, report } = await run({
    '/': page('home', `<select onchange="location.href = this.value">${options}</select>`),
    ...Object.fromEntries(['/v1/', '/v2/index.html', '/v3', '/v4', '/stable'].map(path => [path, page(path)])),
  })
  expect(pagesOf(names).sort()).toEqual(['index.html', 'v1/index.html', 'v2/index.html', 'v3.html', 'v4.html'])
  const written = [...readEntry(entries, 'index.html').matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value)
  expect(written.slice(0, 4)).toEqual(['v1/index.html', 'v2/index.html', 'v3.html', 'v4.html'])
  expect(written.slice(4)).toEqual(values.slice(4))
  expect([report.deadLinks, report.unresolved]).toEqual([[], []])
})
