import { expect, test } from 'vitest'
import { planFolderStubs } from '../../../server/export/rewrite/folder-stubs.ts'

const cases: { fact: string; pages: Record<string, string>; paths?: string[]; want: string[] }[] = [
  { fact: 'a page without a slash gets a stub', pages: { '/a/b': 'a/b.html' }, want: ['a/b/index.htm to a/b.html'] },
  {
    fact: 'a page and the pages below it do, too',
    pages: { '/a': 'a.html', '/a/b': 'a/b.html' },
    want: ['a/index.htm to a.html', 'a/b/index.htm to a/b.html'],
  },
  { fact: 'escapes are decoded', pages: { '/%C3%BC%20x': 'ü x.html' }, want: ['ü x/index.htm to ü x.html'] },
  {
    fact: 'a second name of a page gets a stub',
    pages: { '/b.html': 'b.html', '/b': 'b.html' },
    want: ['b/index.htm to b.html'],
  },
  { fact: 'file systems could refuse the name of the folder', pages: { '/x%20': 'x .html' }, want: [] },
  {
    fact: 'a page with a slash or an extension needs none',
    pages: { '/': 'index.html', '/a/': 'a/index.html', '/b.html': 'b.html' },
    want: [],
  },
  { fact: 'the folder is a page', pages: { '/a': 'a.html', '/a/': 'a/index.html' }, want: [] },
  { fact: 'the name of the folder is a file', pages: { '/a': 'a.html' }, paths: ['A'], want: [] },
  { fact: 'the folder has another case', pages: { '/api': 'api.html' }, paths: ['API/x.png'], want: [] },
  { fact: 'the page has another name than its address', pages: { '/a': 'a~12345678.html' }, want: [] },
]

test.each(cases)('$fact', ({ pages, paths = [], want }) => {
  const known = Object.entries(pages).map(([address, path]) => ({ url: new URL(address, 'http://site'), path }))
  const stubs = planFolderStubs(known, [...Object.values(pages), ...paths])
  expect(stubs.map(({ path, to }) => `${path} to ${to}`)).toEqual(want)
})
