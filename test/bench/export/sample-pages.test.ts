import { expect, test } from 'vitest'
import { samplePages } from '../../../scripts/bench/export/sample-pages.ts'

const page = (path: string, bytes = 1) => ({ path, bytes })

test('the sample has the start page, the largest page, and pages of each folder', () => {
  const guides = ['/guides/a', '/guides/b', '/guides/c'].map(path => page(path))
  const pages = [page('/'), ...guides, page('/guides/big', 9), page('/api/x'), page('/about')]
  const chosen = samplePages(pages, '/', 5)
  expect(chosen).toEqual(['/', '/guides/big', '/guides/b', '/about', '/api/x'])
  expect(samplePages(pages, '/', 5)).toEqual(chosen)
})

test('a small site is sampled whole', () => {
  expect(samplePages([page('/'), page('/a')], '/', 6)).toEqual(['/', '/a'])
  expect(samplePages([page('/')], '/', 6)).toEqual(['/'])
})
