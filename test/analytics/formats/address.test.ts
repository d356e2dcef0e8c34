import { expect, test } from 'vitest'
import { bareAddress, findClient } from '../../../server/analytics/formats/address.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:1234', '203.0.113.9'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:1234', '2001:db8::1'],
  ['host.example.com', 'host.example.com'],
  ['[broken', '[broken'],
])('%s is the address %s', (given, want) => {
  expect(bareAddress(given)).toBe(want)
})

test.each([
  ['203.0.113.9', undefined, '203.0.113.9'],
  ['203.0.113.9, 10.0.0.1', undefined, '203.0.113.9'],
  ['unknown, 203.0.113.9 ,10.0.0.1', undefined, '203.0.113.9'],
  ['203.0.113.9:80,[2001:db8::1]:80', undefined, '203.0.113.9'],
  ['-', undefined, undefined],
  ['', undefined, undefined],
  ['a, b', undefined, undefined],
  ['forged, 203.0.113.9', 1, '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9, 10.0.0.1', 1, '10.0.0.1'],
  ['198.51.100.1, 203.0.113.9, 10.0.0.1', 2, '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9', 5, '198.51.100.1'],
  ['198.51.100.1, forged', 1, undefined],
])('in %j, with %s trusted proxies, the client is %s', (list, trustedProxies, want) => {
  expect(findClient(list, trustedProxies)).toBe(want)
})
