import { expect, test } from 'vitest'
import { combined, unescapeField } from '../../../server/analytics/formats/combined.ts'
import { emptyLogLine } from '../../../server/analytics/formats/log-format.ts'

const usual = '10.0.0.1 - - [20/Nov/2026:10:11:12 +0000] "GET /a HTTP/1.1" 200 12 "-" "Mozilla/5.0"'

/** Returns the fields as strings, or undefined for a malformed line. Other bytes around the line must not matter. */
function parse(text: string) {
  const around = 'x" "y" [z] \n'
  const bytes = Buffer.from(around + text + around, 'latin1')
  const line = emptyLogLine()
  const start = around.length
  if (combined.open({}).parse(bytes, start, start + text.length, line) !== 'request') return undefined
  const field = (from: number, to: number) => bytes.toString('latin1', from, to)
  return {
    address: field(line.addressStart, line.addressEnd),
    at: Number.isNaN(line.atMs) ? 'bad date' : new Date(line.atMs).toISOString(),
    target: line.isGet ? field(line.targetStart, line.targetEnd) : 'not a GET',
    status: line.status,
    userAgent: field(line.userAgentStart, line.userAgentEnd),
  }
}

test('reads the fields of a combined line', () => {
  expect(parse(usual)).toEqual({
    address: '10.0.0.1',
    at: '2026-11-20T10:11:12.000Z',
    target: '/a',
    status: 200,
    userAgent: 'Mozilla/5.0',
  })
})

test.each([
  ['IPv6', usual.replace('10.0.0.1', '2001:db8::1'), { address: '2001:db8::1' }],
  ['a host name', usual.replace('10.0.0.1', 'host.example.com'), { address: 'host.example.com' }],
  ['a user name', usual.replace('- -', '- anna'), { target: '/a' }],
  ['a user name with spaces and brackets', usual.replace('- -', '- an [na] b'), { at: '2026-11-20T10:11:12.000Z' }],
  ['an offset to the east', usual.replace('+0000', '+0530'), { at: '2026-11-20T04:41:12.000Z' }],
  ['an offset to the west', usual.replace('+0000', '-0800'), { at: '2026-11-20T18:11:12.000Z' }],
  ['a query', usual.replace('/a', '/a?b=c HTTP/1.1'), { target: '/a' }],
  ['HTTP/0.9', usual.replace(' HTTP/1.1', ''), { target: '/a' }],
  ['a protocol in the path', usual.replace('/a', '/a HTTP/b'), { target: '/a HTTP/b' }],
  ['another method', usual.replace('GET', 'POST'), { target: 'not a GET' }],
  ['an impossible offset', usual.replace('+0000', '+2500'), { at: 'bad date' }],
  ['an offset of too many minutes', usual.replace('+0000', '-9960'), { at: 'bad date' }],
  ['an offset without a sign', usual.replace('+0000', '00000'), { at: 'bad date' }],
  ['no size', usual.replace('200 12', '304 -'), { status: 304 }],
  ['quotes in the request', usual.replace('/a', '/\\"a\\"'), { target: '/\\"a\\"' }],
  ['a backslash before the closing quote', usual.replace('5.0"', '5.0\\\\"'), { userAgent: 'Mozilla/5.0\\\\' }],
  ['no request', usual.replace('GET /a HTTP/1.1', '-'), { target: 'not a GET' }],
  ['an empty user agent', usual.replace('Mozilla/5.0', ''), { userAgent: '' }],
  ['more fields', `${usual} "203.0.113.9" 0.004`, { userAgent: 'Mozilla/5.0' }],
  ['a TLS handshake', usual.replace('GET /a HTTP/1.1', '\\x16\\x03'), { target: 'not a GET' }],
  ['a day that does not exist', usual.replace('20/Nov', '30/Feb'), { at: 'bad date' }],
  ['a month that does not exist', usual.replace('Nov', 'Nix'), { at: 'bad date' }],
  ['an hour that does not exist', usual.replace(':10:11', ':25:11'), { at: 'bad date' }],
])('reads a line with %s', (_, given, want) => {
  expect(parse(given)).toMatchObject(want)
})

test.each([
  ['an empty line', ''],
  ['a word', 'hello'],
  ['no address', usual.slice('10.0.0.1'.length)],
  ['an address with a control character', `\x01${usual}`],
  ['an address of 300 characters', 'a'.repeat(300) + usual],
  ['no user agent (common format)', usual.split(' "-"')[0] ?? ''],
  ['a truncated user agent', usual.slice(0, -1)],
  ['a truncated request', usual.slice(0, 50)],
  ['a status of two digits', usual.replace(' 200 ', ' 20 ')],
  ['a status that is not a number', usual.replace(' 200 ', ' abc ')],
  ['a size that is not a number', usual.replace(' 12 ', ' 1x2 ')],
  ['JSON', '{"ip":"10.0.0.1","time":"2026-11-20T10:11:12Z"}'],
  ['a user agent that ends in an escaped quote', usual.replace('5.0"', '5.0\\"')],
])('refuses %s', (_, given) => {
  expect(parse(given)).toBeUndefined()
})

test('reads the real date of a line whose user name looks like a request', () => {
  const name = 'x [01/Jan/2020:00:00:00 +0000] \\x22GET /forged HTTP/1.1\\x22 200 1'
  expect(parse(usual.replace('- -', `- ${name}`))).toMatchObject({ target: '/a' })
})

test.each([
  ['plain', 'plain'],
  ['\\"a\\"', '"a"'],
  ['a\\\\b', 'a\\b'],
  ['\\x41\\xe9', 'A\xe9'],
  ['\\x4', 'x4'],
  ['\\t\\n', '\t\n'],
  ['end\\', 'end\\'],
])('the field %j reads %j', (given, want) => {
  expect(unescapeField(given)).toBe(want)
})
