import { describe, expect, test } from 'vitest'
import { isLocalHost, whyForbidden } from '../../../server/web/fetch/address.ts'

describe('refuses addresses that are not public', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'carrier-grade NAT'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['192.0.0.192', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['168.63.129.16', 'cloud metadata'],
    ['2130706433', 'loopback'],
    ['0x7f000001', 'loopback'],
    ['0x7f.1', 'loopback'],
    ['0177.0.0.1', 'loopback'],
    ['127.1', 'loopback'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['[::1]', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['64:ff9b:1::808:808', 'NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2002:808:808::', '6to4'],
    ['2001::1', 'teredo'],
    ['2001:db8::1', 'reserved'],
    ['100::1', 'discard'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['4000::1', 'reserved'],
    ['localhost', 'not an address'],
    ['', 'not an address'],
    ['127.0.0.1.example.com', 'not an address'],
  ])('%s', (address, why) => {
    expect(whyForbidden(address)).toBe(why)
  })
})

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '64:ff9b::808:808',
  '::ffff:8.8.8.8',
])('allows %s', address => {
  expect(whyForbidden(address)).toBeNull()
})

test.each([
  ['127.0.0.1', true],
  ['[::1]', true],
  ['192.168.1.7', true],
  ['localhost', true],
  ['docs.localhost', true],
  ['docs', true],
  ['docs.example.com', false],
  ['localhost.example.com', false],
  ['93.184.215.14', false],
  ['', false],
])('%s is in this network: %s', (host, isLocal) => {
  expect(isLocalHost(host)).toBe(isLocal)
})
