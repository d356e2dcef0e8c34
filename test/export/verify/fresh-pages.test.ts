import { expect, test } from 'vitest'
import type { Resource } from '../../../server/export/model/resource.ts'
import { draw } from '../../../server/export/verify/fresh-pages.ts'
import type { ScriptedPage } from '../../../server/export/verify/sample-pages.ts'

const scripted = (path: string): ScriptedPage => {
  const url = new URL(path, 'https://docs.example.com/')
  return { page: { key: url.href, url } as Partial<Resource> as Resource, app: null }
}
const pathsOf = (pages: readonly ScriptedPage[]) => pages.map(({ page }) => page.url.pathname)
const pages = Array.from({ length: 90 }, (_, index) => scripted(`/guide/p${index}/`))
const odd = scripted('/api/odd')

test('pages are drawn that are not in the sample, the same ones for the same seed', () => {
  const sampled = pages.slice(0, 80)
  const drawn = draw({ pages, sampled }, new Set(), { seed: 'a', size: 5 })
  expect(drawn).toHaveLength(5)
  expect(drawn.filter(page => sampled.includes(page))).toEqual([])
  expect(draw({ pages: pages.toReversed(), sampled }, new Set(), { seed: 'a', size: 5 })).toEqual(drawn)
  expect(draw({ pages, sampled }, new Set(), { seed: 'b', size: 5 })).not.toEqual(drawn)
})

test('pages of all folders are drawn, and a page that was drawn before only if no other is left', () => {
  const drawn = draw({ pages: [...pages, odd], sampled: [] }, new Set(), { seed: 'a', size: 5 })
  expect(pathsOf(drawn)).toContain('/api/odd')
  const used = new Set(pages.slice(3).map(({ page }) => page.key))
  const again = draw({ pages, sampled: [] }, used, { seed: 'a', size: 4 })
  expect(pathsOf(again).slice(0, 3).toSorted()).toEqual(['/guide/p0/', '/guide/p1/', '/guide/p2/'])
})

test('no page is drawn from a group whose pages are all in the sample', () => {
  expect(draw({ pages, sampled: pages }, new Set(), { seed: 'a', size: 5 })).toEqual([])
})
