import { describe, expect, test } from 'vitest'
import { parseAddressRange } from '../../../server/base/address-range.ts'
import { writeCombinedLine } from '../../../server/base/combined-line.ts'
import { createClientFinder } from '../../../server/host/serve/client-address.ts'
import { adaptNotFoundPage } from '../../../server/host/serve/page-head.ts'
import { isHashedName } from '../../../server/host/serve/served-version.ts'
import { matchesAny, matchesStrongly, readAccepted, readRange } from '../../../server/host/serve/site-handler.ts'

test.each<[string | undefined, number, ReturnType<typeof readRange>]>([
  [undefined, 10, null],
  ['bytes=0-3', 10, { first: 0, last: 3 }],
  ['bytes=4-', 10, { first: 4, last: 9 }],
  ['bytes=-4', 10, { first: 6, last: 9 }],
  ['bytes=-99', 10, { first: 0, last: 9 }],
  ['bytes=8-99', 10, { first: 8, last: 9 }],
  ['Bytes = 1-2', 10, { first: 1, last: 2 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=5-2', 10, null],
  ['bytes=-', 10, null],
  ['bytes=0-1,3-4', 10, null],
  ['lines=0-1', 10, null],
  ['bytes=a-b', 10, null],
  [' bytes = 1 - 2 ', 10, { first: 1, last: 2 }],
  ['bytes= - 4\t', 10, { first: 6, last: 9 }],
  ['bytes=4 -', 10, { first: 4, last: 9 }],
  ['bytes=1 2-3', 10, null],
  ['bytes= - ', 10, null],
])('the range %j of %i bytes is %j', (header, sizeBytes, range) => {
  expect(readRange(header, sizeBytes)).toEqual(range)
})

test.each([
  [undefined, ''],
  ['', ''],
  ['gzip, deflate, br, zstd', 'br gzip'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['BR ; Q=0.5', 'br'],
  ['*', 'br gzip'],
  ['*;q=0', ''],
  ['gzip;q=0, *', 'br'],
  ['identity', ''],
  [' gzip\t;\tq=0 ,\tbr ; q=1', 'br'],
  ['gzip;;q=0', ''],
])('Accept-Encoding %j accepts %j', (header, accepted) => {
  expect(readAccepted(header)).toBe(accepted)
})

test.each<[string, () => unknown]>([
  ['Range', () => readRange(`bytes=${'\t'.repeat(4000)}-${'\t'.repeat(4000)}-x`, 10)],
  ['Accept-Encoding', () => readAccepted(`gzip${'\t'.repeat(15_000)}x`)],
])('as many tabs as fit into %s are read in less than 0.2 s', (_, read) => {
  const startedAt = performance.now()
  read()
  expect(performance.now() - startedAt).toBeLessThan(200)
})

describe('a hash of the content', () => {
  test.each([
    'app.3f2a9b1c.js',
    '3f2a9b1cdeadbeef0123.css',
    'index-BV4qtO0m.js',
    'main.5f3d2a1b.chunk.css',
    'Inter-4CPItzKV.woff2',
    'a.b1c2d3e4f5a6b7c8d9e0.png',
  ])('is in %s', name => expect(isHashedName(name)).toBe(true))

  test.each([
    'index.html',
    'app.js',
    'guide.3f2a9b1c.html',
    'jquery-3.7.1.min.js',
    'report-20261123.pdf',
    'deadbeef.js',
    'style~3f2a9b1c.css',
    'Html5Parser.js',
    'MobileTableOfContents2.js',
    'classFoo2Bar.js',
    '3f2a9b1c',
  ])('is not in %s', name => expect(isHashedName(name)).toBe(false))
})

test.each([
  ['"a"', '"a"', true],
  ['W/"a"', '"a"', true],
  ['"b", "a"', '"a"', true],
  ['*', '"a"', true],
  ['"b"', '"a"', false],
  ['a', '"a"', false],
])('If-None-Match %j and the ETag %j: %j', (header, etag, matches) => {
  expect(matchesAny(header, etag)).toBe(matches)
})

test.each([
  ['"a"', true],
  ['W/"a"', false],
  ['Sun, 22 Nov 2026 10:00:00 GMT', false],
])('If-Range %j: %j', (header, matches) => expect(matchesStrongly(header, '"a"')).toBe(matches))

test.each([
  ['<!doctype html><html><head lang="x"><title>x</title>', '<head lang="x"><base href="/"/><title>'],
  [
    '<html><meta charset="utf-8"/><meta http-equiv="Content-Security-Policy" content="x"/>',
    '<html><base href="/"/><meta charset="utf-8"/>',
  ],
  ['<head><base target=_top>', '<head><base href="/"/><base target=_top>'],
  ['<head><base target=_top href=/x>', '<head><base target=_top href=/x>'],
  ['<header><head><p>', '<header><head><base href="/"/><p>'],
  ['<head', '<base href="/"/><head'],
  ['<html><head><base href="https://docs.example.com/">', '<head><base href="https://docs.example.com/">'],
  ['no markup', '<base href="/"/>no markup'],
  ['<!-- <base href="/x"> --><!doctype html><p>', '<!doctype html><base href="/"/><p>'],
  ['<head><base data-quire-removed="/href/">', '<head><base href="/"/><base data-quire-removed="/href/">'],
])('the page for missing addresses %j resolves its links at the root', (page, expected) => {
  expect(adaptNotFoundPage(Buffer.from(page)).toString()).toContain(expected)
})

describe('the address of a client', () => {
  const trusted = ['10.0.0.0/8', '::1'].flatMap(text => parseAddressRange(text) ?? [])
  test.each<[string, string | undefined, string]>([
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['::1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '10.0.0.3', '10.0.0.3'],
  ])('of the peer %s with X-Forwarded-For %j is %s', (remoteAddress, forwarded, client) => {
    const req = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }
    expect(createClientFinder(trusted)(req as never)).toBe(client)
  })
})

test('a line of the access log has the combined format, with quotes and controls escaped', () => {
  const headers = { referer: 'https://a.example/"x', 'user-agent': 'a\\b\u00e9\nc' }
  const req = { method: 'GET', url: '/a"b', httpVersion: '1.1', headers }
  const atMs = Date.UTC(2026, 10, 3, 4, 5, 6)
  expect(writeCombinedLine({ req, client: '203.0.113.9', status: 200, sentBytes: 12, atMs })).toBe(
    '203.0.113.9 - - [03/Nov/2026:04:05:06 +0000] "GET /a\\x22b HTTP/1.1" 200 12 "https://a.example/\\x22x" "a\\x5Cb\\xE9\\x0Ac"\n',
  )
})
