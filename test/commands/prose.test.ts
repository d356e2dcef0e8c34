import { expect, test } from 'vitest'
import { fitTerminal, wrapProse } from '../../server/commands/prose.ts'

test.each([
  { text: 'short', width: 10, lines: ['short'] },
  { text: 'one two three', width: 8, lines: ['one two', 'three'] },
  { text: 'at docs.example.invalid.', width: 16, lines: ['at', 'docs.example.invalid.'] },
  {
    text: 'See https://docs.example.com/a/b, then go.',
    width: 20,
    lines: ['See', 'https://docs.example.com/a/b,', 'then go.'],
  },
  { text: 'To list: npx quire orgs list', width: 20, lines: ['To list:', 'npx quire orgs list'] },
  {
    text: 'Old ones: npx quire exports list, npx quire exports delete. Then go on.',
    width: 30,
    lines: ['Old ones:', 'npx quire exports list,', 'npx quire exports delete. Then', 'go on.'],
  },
  {
    text: 'Use: npx quire sites set-origin docs.example.com https://www.example.com/',
    width: 40,
    lines: ['Use:', 'npx quire sites set-origin docs.example.com https://www.example.com/'],
  },
  { text: 'Start it with: npx quire', width: 16, lines: ['Start it with:', 'npx quire'] },
  { text: '', width: 4, lines: [''] },
])('wraps "$text" to $width characters', ({ text, width, lines }) => {
  expect(wrapProse(text, width)).toEqual(lines)
})

test('only a terminal gets several lines', () => {
  const text = `${'word '.repeat(20)}end`
  expect(fitTerminal(text, {})).toBe(text)
  expect(fitTerminal(text, { isTTY: false, columns: 80 })).toBe(text)
  expect(fitTerminal(text, { isTTY: true, columns: 80 }).split('\n')).toHaveLength(2)
})
