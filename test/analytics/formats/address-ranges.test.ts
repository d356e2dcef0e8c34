import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { AddressRanges, parseCidr } from '../../../server/analytics/formats/address-ranges.ts'
import { createRandom } from '../../support/random.ts'

function find<Owner>(ranges: AddressRanges<Owner>, address: string): Owner | undefined {
  const bytes = Buffer.from(`x${address}x`)
  return ranges.find(bytes, 1, bytes.length - 1)
}

test('the smallest block decides, up to its last address', () => {
  const ranges = new AddressRanges([
    { cidr: '203.0.113.64/26', owner: 'small' },
    { cidr: '203.0.0.0/16', owner: 'large' },
    { cidr: '203.0.113.127', owner: 'one' },
    { cidr: '255.255.255.255/32', owner: 'last' },
    { cidr: '2001:db8::/32', owner: 'six' },
    { cidr: '2001:db8:0:1::/64', owner: 'small six' },
  ])
  const found = [
    '203.0.113.63',
    '203.0.113.64',
    '203.0.113.126',
    '203.0.113.127',
    '203.0.113.128',
    '203.1.0.0',
    '255.255.255.255',
    '2001:db8:0:1::',
    '2001:db8:0:1:ffff::1',
    '2001:db8:0:2::1',
    '2001:db9::1',
    'reader.example.com',
  ].map(address => find(ranges, address))
  expect(found).toEqual([
    'large',
    'small',
    'small',
    'one',
    'large',
    undefined,
    'last',
    'small six',
    'small six',
    'six',
    undefined,
    undefined,
  ])
})

test('finds what the block list of Node finds', () => {
  const random = createRandom('address ranges')
  const byte = (): number => Math.floor(random() * 256)
  const cidrs = Array.from({ length: 300 }, () => {
    const length = 8 + Math.floor(random() * 25)
    return `${byte() % 8}.${byte() % 4}.${byte()}.${byte()}/${length}`
  })
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', length] = cidr.split('/')
    list.addSubnet(address, Number(length), 'ipv4')
  }
  const ranges = new AddressRanges(cidrs.map(cidr => ({ cidr, owner: true })))
  for (let i = 0; i < 5000; i++) {
    const address = `${byte() % 9}.${byte() % 5}.${byte()}.${byte()}`
    expect([address, find(ranges, address) ?? false]).toEqual([address, list.check(address)])
  }
})

test('other texts are no blocks', () => {
  const texts = [
    '',
    '203.0.113.0/33',
    '203.0.113/24',
    '203.0.113.0/',
    '::/129',
    'fe80::1%eth0/64',
    '1.2.3.4/24 ',
    'host',
  ]
  expect(texts.map(parseCidr)).toEqual(texts.map(() => undefined))
  expect(() => new AddressRanges([{ cidr: '1.2.3.4/40', owner: 1 }])).toThrow(
    '"1.2.3.4/40" is not a block of addresses',
  )
})
