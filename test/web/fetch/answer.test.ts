import { expect, test } from 'vitest'
import { lastingHeaders, readValidators } from '../../../server/web/fetch/answer.ts'
import { conditions } from '../../../server/web/fetch/request.ts'

test('lasting headers are those that a page may depend on, and not those that change with every answer', () => {
  const lasting = {
    'access-control-allow-origin': '*',
    'content-security-policy': "img-src 'self'",
    'content-type': 'text/css',
  }
  const passing = {
    age: '3',
    date: 'Sat, 21 Nov 2026 10:00:00 GMT',
    etag: '"a"',
    'set-cookie': 'session=secret',
    'x-request-id': '1',
    'x-github-request-id': '2',
    'cf-ray': '3',
    'x-timer': '4',
    'content-encoding': 'gzip',
  }
  expect(lastingHeaders({ ...passing, ...lasting })).toEqual(lasting)
})

const date = 'Sat, 21 Nov 2026 10:00:00 GMT'
test.each<[string, Record<string, string>, ReturnType<typeof readValidators>]>([
  ['nothing', { date }, { etag: null, lastModified: null }],
  ['a tag', { date, etag: 'W/"a"' }, { etag: 'W/"a"', lastModified: null }],
  [
    'an older file',
    { date, 'last-modified': 'Sat, 21 Nov 2026 09:59:58 GMT' },
    { etag: null, lastModified: 'Sat, 21 Nov 2026 09:59:58 GMT' },
  ],
  [
    'a file that changed in this second, and may change again within it',
    { date, 'last-modified': date },
    { etag: null, lastModified: null },
  ],
  ['an answer without a Date header', { 'last-modified': date }, { etag: null, lastModified: null }],
])('validators of %s', (_, headers, validators) => {
  expect(readValidators(headers)).toEqual(validators)
})

test('a condition is sent for each validator', () => {
  expect(conditions({ etag: '"a"', lastModified: date })).toEqual({ 'if-none-match': '"a"', 'if-modified-since': date })
  expect(conditions({ etag: null, lastModified: null })).toEqual({})
})
