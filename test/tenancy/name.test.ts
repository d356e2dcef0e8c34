import { expect, test } from 'vitest'
import { describeSameName, readName } from '../../server/tenancy/name.ts'

const rule =
  'A name must have 1 to 100 characters, no control characters such as line breaks, and not the form of an id such as org_0f3c9a1b2d4e5f60.'

test.each([
  ['Acme', 'Acme'],
  ['  Acme Docs ', 'Acme Docs'],
  ['é'.repeat(100), 'é'.repeat(100)],
  // Signs outside the basic plane count once.
  ['😀'.repeat(100), '😀'.repeat(100)],
  ['org_handbook', 'org_handbook'],
])('%j is the name %j', (text, name) => {
  expect(readName(text)).toBe(name)
})

test.each([
  ['', 'The name is empty.'],
  ['   ', 'The name is empty.'],
  ['\n', 'The name is empty.'],
  ['a\nb', 'The name a\\nb has a control character.'],
  ['\u001b[31mred\u001b[0m', 'The name \\u001b[31mred\\u001b[0m has a control character.'],
  ['a\u202eb', 'The name a\\u202eb has a control character.'],
  ['a\u2028b', 'The name a\\u2028b has a control character.'],
  ['n'.repeat(400), 'The name has 400 characters.'],
  ['org_0f3c9a1b2d4e5f60', 'The name org_0f3c9a1b2d4e5f60 has the form of an id.'],
  ['PRJ_0F3C9A1B2D4E5F60', 'The name PRJ_0F3C9A1B2D4E5F60 has the form of an id.'],
])('%j is refused with the rule', (text, problem) => {
  expect(() => readName(text)).toThrow(expect.objectContaining({ message: `${problem} ${rule}`, exitCode: 2 }))
})

const docs = { id: 'org_3', name: 'Docs' }

test.each([
  { others: ['Acme'], note: undefined },
  {
    others: ['Docs'],
    note: 'Another organization has the name Docs too (a0). Commands need the id of this one: org_3',
  },
  {
    others: ['Docs', 'Acme', 'Docs'],
    note: '2 other organizations have the name Docs too (a0, a2). Commands need the id of this one: org_3',
  },
])('says that $others have the same name', ({ others, note }) => {
  const all = [...others.map((name, i) => ({ id: `a${i}`, name })), docs]
  expect(describeSameName(all, docs, 'organization')).toBe(note)
})
