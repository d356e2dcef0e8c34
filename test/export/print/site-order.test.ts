import { expect, test } from 'vitest'
import { orderPages, type PageLinks } from '../../../server/export/print/site-order.ts'

const page = (around: string[] = [], next: string | null = null, inside: string[] = []): PageLinks => ({
  around,
  next,
  inside,
})
const order = (pages: Record<string, PageLinks>) => orderPages(new Map(Object.entries(pages)), 'start').join(' ')

test.each<[string, Record<string, PageLinks>, string]>([
  ['by the navigation, then by path', { z: page(), a: page(), start: page(['b', 'a']), b: page() }, 'start b a z'],
  [
    'by the next pages first',
    { start: page(['a', 'b', 'c'], 'b'), a: page(), b: page([], 'c'), c: page() },
    'start b c a',
  ],
  [
    'with the pages of a section after the section',
    {
      start: page(['x', 'y']),
      x: page(['x', 'y', 'x2', 'x1']),
      x1: page(),
      x2: page(),
      y: page(['x', 'y', 'y1']),
      y1: page(),
    },
    'start x x2 x1 y y1',
  ],
  [
    'by the content of a start page without a navigation',
    { start: page([], null, ['b', 'a']), a: page(), b: page() },
    'start b a',
  ],
  ['without end when pages lead in a circle', { start: page(['a'], 'a'), a: page(['start'], 'start') }, 'start a'],
])('orders pages %s', (_, pages, wanted) => {
  expect(order(pages)).toBe(wanted)
})
