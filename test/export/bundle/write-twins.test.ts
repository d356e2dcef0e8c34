import { expect, test } from 'vitest'
import { setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

const site = {
  '/': page(
    'home',
    '<a href="/guide/a">a</a> <a href="/guide/b/">b</a> <a href="/faq.html">f</a> <a href="/faq.md">own</a> <a href="/api/x">x</a>',
  ),
  '/guide/a': page('a', '<a href="/guide/b/#x">b</a> <a href="/faq.html">f</a>'),
  '/guide/b/': page('b'),
  '/api/x': page('x'),
  '/faq.html': page('faq'),
  '/faq.md': { body: 'own', headers: { 'content-type': 'text/markdown' } },
}

test('pages get Markdown beside them, and two lists', async () => {
  const { entries, names } = await run(site, { markdown: true })
  expect(names.filter(name => /\.(md|txt)$/.test(name))).toEqual([
    'api/x.md',
    'faq.md',
    'guide/a.md',
    'guide/b/index.md',
    'index.md',
    'llms-full.txt',
    'llms.txt',
  ])
  const text = (name: string) => readEntry(entries, name).toString()
  expect(text('guide/a.md')).toMatch(
    /^---\ntitle: "a"\nurl: .*\/guide\/a\n---\n\n# a\n\nThese are the words of the page a.\n\n\[b\]\(b\/index.md#x\) \[f\]\(..\/faq.html\)\n$/,
  )
  expect(text('llms.txt')).toMatch(
    /^# home\n\n4 pages of .*, as Markdown. All of them are in \[llms-full.txt\]\(llms-full.txt\) \(1 KB\).\n\n## Start \(1 KB\)\n\n- \[home\]\(index.md\): \(1 KB\)\n\n## api \(1 KB\)\n\n- \[x\]\(api\/x.md\): \(1 KB\)\n\n## guide \(1 KB\)\n\n- \[a\]\(guide\/a.md\): \(1 KB\)\n- \[b\]/,
  )
  expect(text('llms-full.txt').match(/^# .*/gm)).toEqual(['# home', '# x', '# a', '# b'])
  expect(text('faq.md')).toBe('own')
})

test('a site that has the lists keeps its own', async () => {
  const { entries } = await run({ ...site, '/llms.txt': 'own list' }, { markdown: true })
  expect(readEntry(entries, 'llms.txt').toString()).toBe('own list')
})

test('the same site gives the same bytes with Markdown', async () => {
  const digests = await Promise.all([1, 2].map(async () => (await run(site, { markdown: true })).sha256))
  expect(digests[1]).toBe(digests[0])
})

test('an export without Markdown has none', async () => {
  const { names } = await run(site)
  expect(names.filter(name => /\.(md|txt)$/.test(name))).toEqual(['faq.md'])
})
