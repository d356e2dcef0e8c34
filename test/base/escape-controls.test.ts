import { expect, test } from 'vitest'
import { escapeControls, escapeControlsInLines, hasControls } from '../../server/base/escape-controls.ts'

test.each([
  ['Acme Überblick 😀 👩‍👩‍👧', 'Acme Überblick 😀 👩‍👩‍👧'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['a\r\n\tb', 'a\\r\\n\\tb'],
  ['\u009b2J', '\\u009b2J'],
  ['a\u2028b\u202ec', 'a\\u2028b\\u202ec'],
])('%j is shown as %j', (text, shown) => {
  expect([escapeControls(text), hasControls(text)]).toEqual([shown, text !== shown])
})

test('line breaks stay in text of several lines', () => {
  expect(escapeControlsInLines('a\nb\u001b[0m')).toBe('a\nb\\u001b[0m')
})
