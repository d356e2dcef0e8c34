import { expect, test } from 'vitest'
import type { Resource } from '../../../server/export/model/resource.ts'
import { groupPages, type ScriptedPage } from '../../../server/export/verify/sample-pages.ts'

const scripted = (key: string, template: string, app: boolean = false): ScriptedPage => {
  const page = { key, template } as Partial<Resource> as Resource
  return { page, app: app ? page : null }
}
const keysOf = (pages: readonly ScriptedPage[]) => pages.map(({ page }) => page.key).join(' ')

test('pages with the same scripts are one group, and the largest group comes first', () => {
  const pages = [scripted('a', 'x'), scripted('b', 'y'), scripted('c', 'y'), scripted('d', 'x', true)]
  expect(groupPages(pages).map(keysOf)).toEqual(['b c', 'a', 'd'])
})

test('a site with many templates has few groups, and the last one has all other pages', () => {
  const pages = Array.from({ length: 100 }, (_, index) => scripted(`p${100 + index}`, `t${index % 50}`))
  const groups = groupPages(pages)
  expect(groups).toHaveLength(12)
  expect(groups.map(({ length }) => length)).toEqual([...Array(11).fill(2), 78])
  expect(groups.flat().toSorted((a, b) => (a.page.key < b.page.key ? -1 : 1))).toEqual(pages)
})

test('there are no groups without scripts', () => {
  expect(groupPages([])).toEqual([])
})
