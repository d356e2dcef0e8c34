import { expect, test, vi } from 'vitest'
import { drawPairs, drawTable, wrapText } from '../../server/commands/table.ts'

test.each([
  { text: 'short', width: 10, lines: ['short'] },
  { text: 'one two three', width: 8, lines: ['one two', 'three'] },
  {
    text: 'https://git.example.com/acme/docs/pull/7',
    width: 24,
    lines: ['https://git.example.com/', 'acme/docs/pull/7'],
  },
  { text: 'docs.example.com', width: 13, lines: ['docs.example.', 'com'] },
  { text: 'abcdefghij', width: 4, lines: ['abcd', 'efgh', 'ij'] },
  { text: '', width: 4, lines: [''] },
])('wraps $text to $width characters', ({ text, width, lines }) => {
  expect(wrapText(text, width)).toEqual(lines)
})

test('a table that fits has one line per row', () => {
  expect(
    drawTable(
      [
        ['ID', 'NAME'],
        ['org_1', 'Acme'],
      ],
      80,
    ),
  ).toBe('ID     NAME\norg_1  Acme')
})

test('a wide table fits and loses nothing', () => {
  const id = 'prj_0f3c9a1b2d4e5f60'
  const url = 'https://git.example.com/acme/handbook-of-everything/documentation/tree/main/pages'
  const table = drawTable(
    [
      ['ID', 'REPOSITORY', 'NAME'],
      [id, url, 'A name of several words that is rather long'],
      [id, '-', 'B'],
    ],
    80,
  )
  const lines = table.split('\n')
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80)
  // Ids stay in one piece.
  expect(lines.filter(line => line.startsWith(id))).toHaveLength(2)
  const [, ...body] = lines
  const columnOfUrl = body.map(line => line.slice(id.length).trim().split(/ {2,}/)[0])
  expect(columnOfUrl.join('')).toContain('handbook-of-everything')
})

test('a long text continues below its beginning', () => {
  expect(
    drawPairs(
      [
        ['Why', 'one two three four'],
        ['List', 'x'],
      ],
      18,
    ),
  ).toBe('Why   one two\n      three four\nList  x')
})

test('without a terminal, a row is one line, unless COLUMNS says how long lines are', () => {
  const rows = [['key_0f3c9a1b2d4e5f60', 'a name that is as long as many names are, '.repeat(4).trim()]]
  vi.stubEnv('COLUMNS', undefined)
  expect(drawTable(rows).split('\n')).toHaveLength(1)
  vi.stubEnv('COLUMNS', '60')
  expect(
    Math.max(
      ...drawTable(rows)
        .split('\n')
        .map(line => line.length),
    ),
  ).toBeLessThanOrEqual(60)
  vi.unstubAllEnvs()
})
