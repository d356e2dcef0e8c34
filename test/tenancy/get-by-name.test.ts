import { describe, expect, test } from 'vitest'
import { getByName, getOnly } from '../../server/tenancy/get-by-name.ts'

const nouns = { noun: 'project', list: 'projects list' }
const all = [
  { id: 'prj_1', name: 'Handbook' },
  { id: 'prj_2', name: 'Docs' },
  { id: 'prj_3', name: 'Docs' },
  { id: 'prj_4', name: 'prj_1' },
]

test.each([
  { given: 'prj_2', want: 'prj_2' },
  { given: 'Handbook', want: 'prj_1' },
  // An id is unique, so it takes precedence over an equal name.
  { given: 'prj_1', want: 'prj_1' },
])('$given is $want', ({ given, want }) => {
  expect(getByName(all, given, nouns).id).toBe(want)
})

test.each([
  ['Docs', '2 projects have the name Docs. Give one of their ids: prj_2, prj_3'],
  ['handbook', 'There is no project handbook. Did you mean Handbook? See: npx quire projects list'],
])('%s is refused', (given, message) => {
  expect(() => getByName(all, given, nouns)).toThrow(message)
})

describe('without a name', () => {
  const words = { noun: 'project', create: 'projects create NAME', flag: '--project' }

  test('the only one is meant', () => {
    expect(getOnly([{ name: 'Handbook' }], words)).toEqual({ name: 'Handbook' })
  })

  test.each([
    [[], 'There is no project yet. Create one with: npx quire projects create NAME'],
    [['A', 'B'], 'There are 2 projects. Name one with --project: A, B'],
    [
      'abcdefghijkl'.split(''),
      'There are 12 projects. Name one with --project: a, b, c, d, e, f, g, h, i, j, and 2 more',
    ],
  ])('none or several are refused: %j', (names, message) => {
    expect(() =>
      getOnly(
        names.map(name => ({ name })),
        words,
      ),
    ).toThrow(message)
  })
})
