import { expect, test } from 'vitest'
import { getByName } from '../../server/tenancy/get-by-name.ts'

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
  ['handbook', 'There is no project handbook. See: npx quire projects list'],
])('%s is refused', (given, message) => {
  expect(() => getByName(all, given, nouns)).toThrow(message)
})
