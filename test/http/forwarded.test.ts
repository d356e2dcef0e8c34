import { expect, test } from 'vitest'
import { isInRanges, parseAddressRange } from '../../server/base/address-range.ts'
import { readForwardedAddress } from '../../server/http/forwarded.ts'

const ranges = ['10.0.0.0/8', 'fd00::/8'].map(text => parseAddressRange(text)).filter(range => range !== undefined)
const isTrusted = (address: string) => isInRanges(address, ranges)
const read = (headers: Record<string, string>, prefix = '') => readForwardedAddress(headers, { isTrusted, prefix })

const https = { 'x-forwarded-proto': 'https' }

test.each([
  [{ forwarded: 'for=192.0.2.1;host=api.example.com;proto=https' }, 'https://api.example.com'],
  [{ forwarded: 'for="[2001:db8::1]:80"; Host="api.example.com:8443" ;PROTO=HTTPS' }, 'https://api.example.com:8443'],
  [{ host: 'api.example.com', forwarded: 'for=_a;proto=http' }, 'http://api.example.com'],
  [{ host: 'api.example.com', ...https }, 'https://api.example.com'],
  [{ ...https, host: 'inner', 'x-forwarded-host': 'api.example.com' }, 'https://api.example.com'],
  [{ ...https, 'x-forwarded-host': 'evil.example, api.example.com' }, 'https://api.example.com'],
  [{ ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-port': '8443' }, 'https://api.example.com:8443'],
  [{ ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-port': '443' }, 'https://api.example.com'],
  [{ ...https, 'x-forwarded-host': 'api.example.com:99', 'x-forwarded-port': '8443' }, 'https://api.example.com:99'],
  [
    { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '/quire/' },
    'https://api.example.com/quire',
  ],
])('%j is %s', (headers, want) => {
  expect(read(headers)).toBe(want)
})

test('of a chain, the element of the outermost trusted proxy counts', () => {
  const inner = 'for=10.0.0.7;host=inner;proto=http'
  const outer = 'for=192.0.2.1;host=api.example.com;proto=https'
  expect(read({ forwarded: `for=1.2.3.4;host=evil.example;proto=http, ${outer}, ${inner}` })).toBe(
    'https://api.example.com',
  )
  expect(read({ forwarded: `${outer}, for="[fd00::1]:80";host=inner;proto=http` })).toBe('https://api.example.com')
})

test('the prefix of the public URL is kept unless the proxy names another', () => {
  const headers = { ...https, host: 'api.example.com' }
  expect(read(headers, '/quire')).toBe('https://api.example.com/quire')
  expect(read({ ...headers, 'x-forwarded-prefix': '/a' }, '/quire')).toBe('https://api.example.com/a')
})

test.each([
  {},
  { host: 'api.example.com' },
  { 'x-forwarded-for': '192.0.2.1', host: 'api.example.com' },
  // The proxy sets one of the two, and passes on the other as the client sent it.
  { ...https, host: 'api.example.com', forwarded: 'host=evil.example;proto=https' },
  { ...https, 'x-forwarded-host': 'evil.example', forwarded: 'host=api.example.com;proto=https' },
  { ...https, host: 'api.example.com', forwarded: 'proto=http' },
  { ...https, 'x-forwarded-host': '0.0.0.0:8787' },
  { ...https, 'x-forwarded-host': '0x0' },
  { ...https, 'x-forwarded-host': '[::]:8787' },
  { ...https, 'x-forwarded-host': '[2001:db8::1]' },
  { ...https, 'x-forwarded-host': 'a b' },
  { ...https, 'x-forwarded-host': 'user@api.example.com' },
  { ...https, 'x-forwarded-host': 'api.example.com/a' },
  { ...https, 'x-forwarded-host': '$(id)' },
  { ...https, 'x-forwarded-host': 'api.example.com:999999' },
  { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'api.example.com' },
  { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '//evil.example' },
  { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '/a/../b' },
  { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '/a?b' },
  { forwarded: 'host=api.example.com' },
  { forwarded: 'host="api.example.com;proto=https' },
  { forwarded: 'host=api.example.com;proto=https;=' },
])('%j says nothing that a link may contain', headers => {
  expect(read(headers)).toBeUndefined()
})

test('a long header is read in linear time', () => {
  expect(read({ forwarded: 'for="\\'.repeat(50_000) })).toBeUndefined()
  expect(read({ forwarded: ' ;,'.repeat(80_000) })).toBeUndefined()
})

test.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['10.0.0.0/8', '10.200.3.4', true],
  ['10.0.0.0/8', '::ffff:10.200.3.4', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['fd00::/8', 'fd12::1', true],
  ['fd00::/8', '10.0.0.1', false],
  ['::1', '::1', true],
])('%s has %s: %s', (range, address, want) => {
  const parsed = parseAddressRange(range)
  expect(parsed && isInRanges(address, [parsed])).toBe(want)
})

test.each(['', 'a', '10.0.0.0/33', '10/8', '10', '127.0.0.1/', '0x7f.0.0.1', '10.0.0.0/-1'])('%j is no range', text => {
  expect(parseAddressRange(text)).toBeUndefined()
})
