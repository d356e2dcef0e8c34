import { expect, test } from 'vitest'
import type { Difference } from '../../../server/export/model/report.ts'
import type { Resource } from '../../../server/export/model/resource.ts'
import { isWhole, listLossyPages } from '../../../server/export/verify/lossy-pages.ts'

const page = (key: string, template: string) => ({ page: { key, template } as Resource, app: null })
const lost = (path: string, words: number): Difference => ({
  page: path,
  place: 'folder',
  what: '',
  loss: { words, repeated: 0, of: 100 },
})
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}`)
const paths = (keys: readonly string[]) => new Map(keys.map(key => [key, `${key}.html`]))

test('lists the pages with the scripts of a page that loses more than a tenth of its words', () => {
  const scripted = [page('a', 'one'), page('b', 'one'), page('c', 'two'), page('d', 'three')]
  const differences = [lost('a.html', 11), lost('d.html', 10)]
  expect(listLossyPages(differences, scripted, paths(['a', 'b', 'c', 'd']))).toEqual(['a', 'b'])
  expect(listLossyPages([], scripted, paths(['a', 'b', 'c', 'd']))).toEqual([])
})

test('lists no page of an app, and none if there are too many', () => {
  const { page: app } = page('app', 'one')
  expect(listLossyPages([lost('a.html', 50)], [{ ...page('a', 'one'), app }], paths(['a']))).toEqual([])
  const keys = numbered('p', 401)
  const many = keys.map(key => page(key, 'one'))
  expect(listLossyPages([lost('p0.html', 50)], many, paths(keys))).toEqual([])
  expect(listLossyPages([lost('p0.html', 50)], many.slice(1), paths(keys))).toEqual([])
  expect(listLossyPages([lost('p1.html', 50)], many.slice(1), paths(keys))).toHaveLength(400)
})

test('a page is whole with other words in place of those that scripts make anew each time', () => {
  const known = { words: [...numbered('word', 70), ...numbered('late', 12)] }
  expect(isWhole(known.words, known)).toBe(true)
  expect(isWhole(numbered('word', 70), known)).toBe(false)
  expect(isWhole([...numbered('word', 70), ...numbered('new', 12)], known)).toBe(true)
  expect(isWhole(numbered('word', 70), undefined)).toBe(true)
})
