import { describe, expect, test } from 'vitest'
import {
  backoffMs,
  FetchError,
  kindOfError,
  kindOfStatus,
  readRetryAfter,
  toBodyError,
} from '../../../server/web/fetch/fetch-error.ts'

test.each([
  [200, null, null],
  [301, null, null],
  [404, null, null],
  [410, null, null],
  [408, null, 'gateway'],
  [429, null, 'busy'],
  [500, null, 'passing'],
  [501, null, null],
  [502, null, 'gateway'],
  [503, null, 'gateway'],
  [503, 1000, 'busy'],
  [504, null, 'gateway'],
  [505, null, null],
  [520, null, 'passing'],
] as const)('status %i with Retry-After %s is %s', (status, retryAfterMs, kind) => {
  expect(kindOfStatus(status, retryAfterMs)).toBe(kind)
})

describe('Retry-After', () => {
  const now = Date.parse('2026-11-22T10:00:00Z')
  test.each([
    ['7', 7000],
    ['0', 0],
    ['31536000', 60_000],
    ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
    ['Sun, 22 Nov 2099 10:00:00 GMT', 60_000],
    ['Sunday, 22-Nov-26 10:00:05 GMT', 5000],
    ['Sun Nov 22 10:00:05 2026', 5000],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('%s is %s ms', (value, want) => {
    expect(readRetryAfter(value, now)).toBe(want)
  })
})

test('the waits grow, end at 15 seconds, and half of each is random', () => {
  expect([0, 1, 2, 3, 4].map(retry => backoffMs(retry, 400, 1))).toEqual([400, 1200, 3600, 10_800, 15_000])
  expect(backoffMs(1, 400, 0)).toBe(600)
})

test('a refused connection, a timeout and a cut body may pass, and other errors not', () => {
  const url = new URL('http://docs.example.com/')
  const failed = new FetchError('network', 'x', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
  const unknown = new FetchError('network', 'x', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })
  const kinds = [
    failed,
    toBodyError(failed, url),
    new FetchError('timeout', 'x'),
    unknown,
    new FetchError('certificate', 'x'),
  ]
  expect(kinds.map(kindOfError)).toEqual(['connection', 'passing', 'connection', null, null])
  expect(kindOfError(new Error('x'))).toBeNull()
})
