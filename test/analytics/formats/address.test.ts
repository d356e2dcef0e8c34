import { isIP, isIPv4 } from 'node:net'
import { expect, test } from 'vitest'
import {
  bareAddress,
  findClient,
  findIpv4End,
  isPort,
  stripAddress,
  toCanonicalAddress,
  toCanonicalHostname,
} from '../../../server/analytics/formats/address.ts'
import fc from '../../support/fast-check.ts'

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

/** Spelling, canonical address. */
const spellings: [string, string][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['203.0.113.9:1', '203.0.113.9'],
  ['203.0.113.9:65535', '203.0.113.9'],
  ['[203.0.113.9]', '203.0.113.9'],
  ['[203.0.113.9]:80', '203.0.113.9'],
  ['2001:db8::1', '2001:db8::1'],
  ['2001:DB8::1', '2001:db8::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8::0:1', '2001:db8::1'],
  ['2001:db8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:DB8:0::1]:443', '2001:db8::1'],
  ['2001:db8::1%eth0', '2001:db8::1'],
  ['[2001:db8::1%eth0]:443', '2001:db8::1'],
  ['[fe80::1%25eth0]', 'fe80::1'],
  ['fe80::1%12', 'fe80::1'],
  ['::', '::'],
  ['::1', '::1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['1::', '1::'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
  ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:8080', '203.0.113.9'],
  ['::ffff:203.0.113.9%eth0', '203.0.113.9'],
  ['64:ff9b::203.0.113.9', '64:ff9b::cb00:7109'],
  ['::203.0.113.9', '::cb00:7109'],
  ['1:2:3:4:5:6:203.0.113.9', '1:2:3:4:5:6:cb00:7109'],
]

/** Not addresses. Some are hostile, some are what other programs write before a line. */
const notAddresses = [
  '',
  '-',
  'unknown',
  'unix:',
  'Nov',
  'localhost',
  'host.example.com',
  '<134>Nov',
  '2026-11-20T10:11:12Z',
  '10:11:12',
  '203.0.113',
  '203.0.113.9.1',
  '203.0.113.256',
  '203.0.113.09',
  '203.0.113.9:',
  '203.0.113.9:123456',
  '203.0.113.9:80:80',
  '203.0.113.9%eth0',
  '203.0.113.9,',
  '203.0.113.9/24',
  ' 203.0.113.9',
  '203.0.113.9 ',
  '203.0.113.9\0',
  '3405803785',
  '0x7f.1',
  '１.1.1.1',
  ':',
  ':::',
  '1',
  '1:2',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '1:2:3:4:5:6:7:8::',
  '12345::',
  'g::',
  '::g',
  '::1%',
  '%eth0',
  '::ffff:203.0.113',
  '::ffff:203.0.113.256',
  '203.0.113.9::',
  '::203.0.113.9:1',
  '1:2:3:4:5:6:7:203.0.113.9',
  '[2001:db8::1',
  '2001:db8::1]',
  '[]',
  '[]:80',
  '[2001:db8::1]443',
  '[2001:db8::1]:',
  '[2001:db8::1]:x',
  '[[2001:db8::1]]',
  `${'0'.repeat(100_000)}::1`,
  `${':'.repeat(100_000)}`,
  `::1%${'x'.repeat(100_000)}`,
]

test('there are enough spellings', () => {
  expect(spellings.length + notAddresses.length).toBeGreaterThan(90)
})

test.each(spellings)('%s counts as %s', (given, want) => {
  expect(toCanonicalAddress(given)).toBe(want)
  expect(toCanonicalAddress(want)).toBe(want)
})

test.each(notAddresses.map(text => [text.slice(0, 60), text]))('%j is not an address', (_, text) => {
  expect(toCanonicalAddress(text)).toBeUndefined()
})

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8::'],
  ['[2001:DB8::2]:443', '2001:db8::'],
  ['::1', '::'],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
])('with a prefix of 64 bits, %s counts as %s', (given, want) => {
  expect(toCanonicalAddress(given, 64)).toBe(want)
})

const group = fc.oneof(fc.constant(0), fc.constant(0xffff), fc.integer({ min: 0, max: 0xffff }))
const groups = fc.array(group, { minLength: 8, maxLength: 8 })

/** Any spelling of groups: leading zeros, upper case, `::` in place of any zeros, the last 32 bits as in IPv4. */
const spelled = fc
  .record({
    groups,
    zeros: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    isUpper: fc.boolean(),
    from: fc.nat(7),
    length: fc.nat(8),
    endsInIpv4: fc.boolean(),
  })
  .map(({ groups, zeros, isUpper, from, length, endsInIpv4 }) => {
    const texts = groups.map((group, i) => {
      const digits = group.toString(16)
      return zeros[i] ? digits.padStart(4, '0') : digits
    })
    const [high = 0, low = 0] = groups.slice(6)
    if (endsInIpv4) texts.splice(6, 2, `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`)
    const to = Math.min(from + length, endsInIpv4 ? 6 : 8)
    const canCut = to > from && groups.slice(from, to).every(group => group === 0)
    const text = canCut ? `${texts.slice(0, from).join(':')}::${texts.slice(to).join(':')}` : texts.join(':')
    return { groups, text: isUpper ? text.toUpperCase() : text }
  })

test('10,000 random spellings: node accepts each, and its URL parser writes the same address', () => {
  fc.assert(
    fc.property(spelled, ({ groups, text }) => {
      expect(isIP(text)).toBe(6)
      const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
      const [high = 0, low = 0] = groups.slice(6)
      const want = isMapped
        ? `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
        : new URL(`http://[${text}]/`).hostname.slice(1, -1)
      expect(toCanonicalAddress(text)).toBe(want)
      expect(toCanonicalAddress(`[${text}]:443`)).toBe(want)
    }),
    { numRuns: 10_000 },
  )
})

test('10,000 random texts: an address is what node says', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('0', '1', '2', '5', '9', 'a', 'F', ':', '::', '.', 'g'), maxLength: 24 }),
    fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 3, maxLength: 5 }).map(parts => parts.join('.')),
    fc
      .array(fc.integer({ min: 0, max: 0x1_0100 }), { minLength: 6, maxLength: 9 })
      .map(parts => parts.map(part => part.toString(16)).join(':')),
    spelled.map(({ text }) => text),
  )
  fc.assert(
    fc.property(text, text => {
      const bytes = Buffer.from(text)
      expect(findIpv4End(bytes, 0, bytes.length) === bytes.length).toBe(isIPv4(text))
      if (stripAddress(text).stripped.length === 0) {
        expect([text, toCanonicalAddress(text) !== undefined]).toEqual([text, isIP(text) !== 0])
      }
    }),
    { numRuns: 10_000 },
  )
})

test.each([
  ['203.0.113.9', 11],
  ['203.0.113.9:80', 11],
  ['203.0.113.9, 10.0.0.1', 11],
  ['203.0.113.09', -1],
  ['203.0.113.256', -1],
  ['203.0.113', -1],
  ['', -1],
])('the IPv4 address in %j ends at %d', (text, end) => {
  const bytes = Buffer.from(`x${text}`)
  expect(findIpv4End(bytes, 1, bytes.length)).toBe(end === -1 ? -1 : end + 1)
})

test.each([
  [':1', true],
  [':65535', true],
  [':', false],
  [':123456', false],
  ['80', false],
  [':8o', false],
])('%j is a port: %s', (text, want) => {
  expect(isPort(Buffer.from(text), 0, text.length)).toBe(want)
})

test.each([
  ['host.example.com', 'host.example.com'],
  ['Host.Example.COM.', 'host.example.com'],
  ['dsl-1-2.pool_3.example.net', 'dsl-1-2.pool_3.example.net'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['localhost', undefined],
  ['nginx-1', undefined],
  ['Nov', undefined],
  ['1.2.3', undefined],
  ['2026-11-20T10:11:12.123Z', undefined],
  ['host.example.com:443', undefined],
  ['-host.example.com', undefined],
  ['host..example.com', undefined],
  [`${'a'.repeat(64)}.example.com`, undefined],
  [`${'a.'.repeat(130)}example`, undefined],
])('as a host name, %s counts as %s', (text, want) => {
  expect(toCanonicalHostname(text)).toBe(want)
})

test.each([
  ['203.0.113.9', undefined, '203.0.113.9'],
  ['203.0.113.9, 10.0.0.1', undefined, '203.0.113.9'],
  ['unknown, 203.0.113.9 ,10.0.0.1', undefined, '203.0.113.9'],
  ['203.0.113.9:80,[2001:db8::1]:80', undefined, '203.0.113.9'],
  ['[2001:DB8:0::1]:80, 203.0.113.9', undefined, '2001:db8::1'],
  ['::ffff:203.0.113.9, 10.0.0.1', undefined, '203.0.113.9'],
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
