import { expect, test } from 'vitest'
import { spreadSample } from '../../../server/export/check/check-bundle.ts'

test('takes all pages of a small bundle', () => {
  expect(spreadSample(['a.html', 'b/c.html'], 2)).toEqual(['a.html', 'b/c.html'])
  expect(spreadSample([], 2)).toEqual([])
})

test('takes the start page and a page of each folder, then more pages of the folders', () => {
  const pages = ['a/1.html', 'a/2.html', 'a/3.html', 'b/1.html', 'b/2.html', 'index.html', 'z.html']
  expect(spreadSample(pages, 3)).toEqual(['a/1.html', 'b/1.html', 'index.html'])
  expect(spreadSample(pages, 5)).toEqual(['a/1.html', 'a/2.html', 'b/1.html', 'b/2.html', 'index.html'])
})

test('spreads over the folders when there are more of them than pages to take', () => {
  const pages = Array.from({ length: 90 }, (_, index) => `f${String(index).padStart(2, '0')}/x.html`)
  const sample = spreadSample([...pages, 'index.html'], 10)
  expect(sample).toHaveLength(10)
  expect(sample).toContain('index.html')
  expect(sample).toEqual(spreadSample([...pages, 'index.html'], 10))
  expect(sample.map(page => page.slice(0, 2)).filter(name => /f[0-8]/.test(name))).toEqual([
    ...'012345678'.split('').map(digit => `f${digit}`),
  ])
})

test('takes other pages when a folder has no more', () => {
  const pages = ['a/1.html', ...Array.from({ length: 20 }, (_, index) => `b/${10 + index}.html`)]
  expect(spreadSample(pages, 6)).toHaveLength(6)
})

test('takes the index nearest to the root as the start page', () => {
  const pages = ['docs/a/index.html', 'docs/b.html', 'docs/c.html', 'docs/index.html', 'docs/z.html']
  expect(spreadSample(pages, 2)).toEqual(['docs/a/index.html', 'docs/index.html'])
})
