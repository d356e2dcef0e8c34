import { describe, expect, test } from 'vitest'
import { createTimeReader, emptyTimeParts, toMs } from '../../../server/analytics/formats/pattern-time.ts'

/** Reads a time, of which the last `hidden` bytes are not in the line. Returns its length and instant; null when there is none. */
function read(form: string, text: string, hidden = 0) {
  const parts = emptyTimeParts()
  const bytes = Buffer.from(`1${text}`)
  const end = createTimeReader(form)(bytes, 1, bytes.length - hidden, parts)
  return end === -1 ? null : [end - 1, new Date(toMs(parts)).toISOString()]
}

test.each([
  ['12345678', null],
  ['123456789', [9, '1973-11-29T21:33:09.000Z']],
  ['99999999999', [11, '5138-11-16T09:46:39.000Z']],
  ['100000000000', [12, '1973-03-03T09:46:40.000Z']],
  ['99999999999999', [14, '5138-11-16T09:46:39.999Z']],
  ['100000000000000', [15, '1973-03-03T09:46:40.000Z']],
  ['123456789.', null],
  ['123456789.5 ', [11, '1973-11-29T21:33:09.000Z']],
])('the digits of an epoch tell its unit: %s is %j', (text, want) => {
  expect(read('epoch', text)).toEqual(want)
})

test('a fraction has one digit to six', () => {
  const lengths = ['', '1', '123456', '1234567'].map(text => read('fraction', text)?.[0])
  expect(lengths).toEqual([undefined, 1, 6, 6])
})

describe('a time ends with its line', () => {
  test.each(['%H:%M', '%F %T', '%s'])('%s', form => {
    const text = { '%H:%M': '10:11', '%F %T': '2025-11-20 10:11:12', '%s': '1763633472' }[form] as string
    expect(read(form, text)?.[0]).toBe(text.length)
    expect(read(form, `${text}5`, 1)?.[0]).toBe(text.length)
    expect(form === '%s' || read(form, text, 1) === null).toBe(true)
  })
})

test.each([
  ['+0100', '2025-11-20T09:11:00.000Z'],
  ['-0730', '2025-11-20T17:41:00.000Z'],
  ['+01:30', '2025-11-20T08:41:00.000Z'],
  ['+2359', '2025-11-19T10:12:00.000Z'],
  ['+2400', undefined],
  ['*0100', undefined],
  ['+01', undefined],
])('the offset %s gives %s', (offset, want) => {
  expect(read('%F %R%z', `2025-11-20 10:11${offset}`)?.[1]).toBe(want)
})

test.each([
  ['%d %h %y', '20 Nov 25'],
  ['%e %b %Y', '20 Nov 2025'],
])('%s reads the name of a month: %s', (form, text) => {
  expect(read(form, text)?.[1]).toBe('2025-11-20T00:00:00.000Z')
})

test('%e is a day with a space or two digits', () => {
  expect(['%e', '%e %b'].map(form => read(form, ' 5 Nov')?.[1]?.toString().slice(5, 10))).toEqual(['01-05', '11-05'])
})
