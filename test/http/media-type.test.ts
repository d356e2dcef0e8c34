import { expect, test } from 'vitest'
import { chooseMediaType } from '../../server/http/media-type.ts'

const offered = ['application/json', 'text/csv'] as const
const json = 'application/json'
const csv = 'text/csv'

test.each([
  [undefined, json],
  ['', json],
  ['*/*', json],
  ['application/json', json],
  ['application/json, text/plain, */*', json],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
  // CSV is preferred.
  ['text/csv', csv],
  ['TEXT/CSV', csv],
  ['text/csv; charset=utf-8', csv],
  ['text/csv; header=present; q=0.5', csv],
  ['text/csv, */*', csv],
  ['*/*, text/csv', csv],
  ['text/csv, */*;q=0.1', csv],
  ['text/csv, application/*', csv],
  ['application/json;q=0.5, text/csv;q=0.6', csv],
  ['text/csv ; q = 0.6 , application/json ; q = 0.5', csv],
  ['text/csv;q=0.001', csv],
  ['application/json;q=0, text/csv;q=0.1', csv],
  ['text/html, text/csv;q=0.4', csv],
  // JSON is preferred, or both are equal.
  ['text/csv, application/json', json],
  ['application/json, text/csv', json],
  ['application/json;q=0.5, text/csv;q=0.5', json],
  ['text/csv;q=0.9, */*', json],
  ['text/csv;q=0.9, application/*', json],
  ['application/json, text/csv;q=0.9', json],
  // Nothing that the operation offers, or CSV is not named.
  ['text/csv;q=0', json],
  ['text/csv;q=0, */*', json],
  ['text/html', json],
  ['text/*', json],
  ['image/png, text/*;q=0.5', json],
  ['application/json;q=0', json],
  // What is not valid is ignored.
  ['text/csv;q=2', json],
  ['text/csv;q=-1', json],
  ['text/csv;q=abc', json],
  ['text/csv;q=', json],
  ['csv', json],
  [',;,=,text/csv/x,;q=1', json],
  ['text/csv;q=0.3, text/csv;q=0.9, */*;q=0.5', csv],
])('Accept %j gets %s', (accept, want) => {
  expect(chooseMediaType(accept, offered)).toBe(want)
})

test('an operation with one media type answers with it', () => {
  expect(chooseMediaType('text/csv', [json])).toBe(json)
})

test('a longer list of media types is ordered by quality', () => {
  const three = [json, csv, 'text/html'] as const
  expect(chooseMediaType('text/csv;q=0.5, text/html', three)).toBe('text/html')
  expect(chooseMediaType('text/html, text/csv', three)).toBe(csv)
})
