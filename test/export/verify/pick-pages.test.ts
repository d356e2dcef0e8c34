import { expect, test } from 'vitest'
import type { Resource } from '../../../server/export/model/resource.ts'
import { findLike, pickPages } from '../../../server/export/verify/pick-pages.ts'
import type { ScriptedPage } from '../../../server/export/verify/sample-pages.ts'

const toPage = (key: string, marks: number[], sizeBytes = 10): ScriptedPage => ({
  page: { key, marks, sizeBytes } as unknown as Resource,
  app: null,
})
const names = (pages: readonly ScriptedPage[]) => pages.map(({ page }) => page.key)
const usual = Array.from({ length: 200 }, (_, index) => toPage(`p${String(index).padStart(3, '0')}`, [1, 2]))
const none = new Set<string>()

test('evenly spread pages stand for a group', () => {
  const picked = pickPages(usual, { base: 4, more: 4, known: none })
  expect([names(picked.base), names(picked.odd)]).toEqual([['p000', 'p050', 'p100', 'p150'], []])
})

test('of the pages with unusual markup, a short one comes before a long one, unless the long one has much more', () => {
  const long = toPage('p020', [1, 2, 7, 8, 9], 2_000_000)
  const pick = (short: number[]) =>
    names(pickPages(usual.with(20, long).with(60, toPage('p060', short)), { base: 2, more: 1, known: none }).odd)
  expect([pick([7]), pick([2])]).toEqual([['p060'], ['p020']])
})

test('pages that were shown at the origin come first', () => {
  const picked = pickPages(usual, { base: 2, more: 0, known: new Set(['p077', 'p078', 'p079']) })
  expect(names(picked.base)).toEqual(['p000', 'p077'])
})

test('one page of 200 with other markup is picked', () => {
  const picked = pickPages(usual.with(23, toPage('p023', [1, 2, 3])), { base: 2, more: 4, known: none })
  expect(names(picked.odd)).toEqual(['p023'])
})

test('the page with the most unusual markup comes first, and the number is limited', () => {
  const pages = usual.map((each, at) => (at % 10 === 5 ? toPage(each.page.key, [1, 2, 100 + at]) : each))
  const picked = pickPages(pages.with(60, toPage('p060', [7, 8, 9])), { base: 2, more: 3, known: none })
  expect(names(picked.odd)).toEqual(['p005', 'p015', 'p060'])
})

test('pages that share the unusual markup of a page are like it', () => {
  const odd = toPage('odd', [1, 5])
  const pages = [...usual.slice(0, 3), odd, toPage('same', [1, 2, 5]), toPage('other', [1, 6])]
  expect(names(findLike(odd, usual.slice(0, 2), pages))).toEqual(['odd', 'same'])
  expect(names(findLike(toPage('plain', [1]), usual, pages))).toEqual([])
})
