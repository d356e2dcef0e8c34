import { describe, expect, test } from 'vitest'
import { listChanges } from '../../../server/export/compare/list-changes.ts'
import { createRandom } from '../../support/random.ts'

const show = (before: string, after: string) =>
  listChanges([...before], [...after])
    .map(({ kind, items }) => ({ same: '', removed: '-', added: '+' })[kind] + items.join(''))
    .join(' ')

describe('the parts of two lists', () => {
  test.each([
    ['abc', 'abc', 'abc'],
    ['', 'ab', '+ab'],
    ['ab', '', '-ab'],
    ['', '', ''],
    ['abc', 'axc', 'a -b +x c'],
    ['abc', 'abxc', 'ab +x c'],
    ['aab', 'ab', 'a -a b'],
    ['abcabba', 'cbabac', '-ab c -a b +a b +a -a -b +c'],
    ['abcd', 'xyz', '-abcd +xyz'],
  ])('%s and %s', (before, after, parts) => {
    // The order of Myers' own example is one of several with as few edits.
    if (before === 'abcabba') expect(show(before, after).match(/[-+][a-z]/g)?.length).toBeLessThanOrEqual(5)
    else expect(show(before, after)).toBe(parts)
  })
})

test('the parts give both lists again, and have no more edits than the shortest way', () => {
  const random = createRandom('list changes')
  const draw = (length: number) => Array.from({ length }, () => 'abcd'[Math.floor(random() * 4)] ?? '')
  for (let round = 0; round < 300; round += 1) {
    const [before, after] = [draw(Math.floor(random() * 12)), draw(Math.floor(random() * 12))]
    const parts = listChanges(before, after)
    const without = (kind: string) => parts.flatMap(part => (part.kind === kind ? [] : part.items))
    expect([without('added'), without('removed')]).toEqual([before, after])
    const same = parts.filter(({ kind }) => kind === 'same').flatMap(({ items }) => items)
    expect(same.length).toBe(longestCommon(before, after))
  }
})

test('lists that have little in common take a bounded time', () => {
  const long = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`)
  const parts = listChanges(long('a'), long('b'))
  expect(parts.map(({ kind, items }) => [kind, items.length])).toEqual([
    ['removed', 20_000],
    ['added', 20_000],
  ])
})

function longestCommon(a: string[], b: string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      (rows[i] as number[])[j] =
        a[i - 1] === b[j - 1] ? (rows[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(rows[i - 1]?.[j] ?? 0, rows[i]?.[j - 1] ?? 0)
  return rows[a.length]?.[b.length] ?? 0
}
