import { expect, test } from 'vitest'
import { findSections, type SearchEntry } from '../../../server/in-page/docs/find-sections.ts'

const entry = (page: string, heading: string, text: string): SearchEntry => ({ page, heading, text, href: heading })
const entries = [
  entry('Operate', 'Upgrade', 'To go back, restore the backup. Then start.'),
  entry('Operate', 'Backup', 'Stop the server and copy the folder.'),
  entry('Backup plans', 'Ideas', 'Nothing here.'),
  entry('Export', 'Limits', 'Flags such as --max-links (a+b) and C:\\x.'),
]
const find = (question: string) => findSections(entries, question).map(({ entry }) => entry.heading)

test.each([
  ['backup', ['Backup', 'Ideas', 'Upgrade']],
  ['BACKUP restore', ['Upgrade']],
  ['--max-links', ['Limits']],
  ['(a+b)', ['Limits']],
  ['nowhere', []],
  ['', []],
  ['   ', []],
])('%j finds %j, best first', (question, headings) => {
  expect(find(question)).toEqual(headings)
})

test('an excerpt begins near the first word and ends at a whole one', () => {
  const text = `${'before '.repeat(40)}needle ${'after '.repeat(60)}`.trim()
  const [found] = findSections([entry('a', 'b', text)], 'needle')
  expect(found?.excerpt).toMatch(/^\u2026 before (before )*needle (after )*after \u2026$/)
  expect(found?.excerpt.length).toBeLessThan(200)
})

test('a text without a space is cut within a word', () => {
  const [found] = findSections([entry('a', 'b', `needle${'x'.repeat(5000)}`)], 'needle')
  expect(found?.excerpt).toBe(`needle${'x'.repeat(174)} \u2026`)
})
