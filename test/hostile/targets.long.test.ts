import { connect, type LookupFunction } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultLimits, totalExceeded } from '../../server/export/model/limits.ts'
import { openFetcher } from '../../server/web/fetch/fetcher.ts'
import { startFakeSite } from '../export/fake-site.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { type Canary, startCanary } from './canary.ts'

let canary: Canary
beforeAll(async () => {
  canary = await startCanary()
})
afterAll(() => canary.close())

const limits = { ...defaultLimits, pageTimeoutMs: 3000, retries: 1 }
const signal = new AbortController().signal

function openTestFetcher(exempt: URL | null, lookup?: LookupFunction) {
  return openFetcher({
    exempt,
    limits,
    totalExceeded: () => totalExceeded(limits),
    signal,
    firstRetryMs: 1,
    ...(lookup ? { lookup } : {}),
  })
}

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.9.9.9', 'localhost'])(
  'the canary records a connection to %s',
  async host => {
    const visits = await canary.visitsDuring(
      () =>
        new Promise(resolve => connect(canary.port, host).on('connect', resolve).end('GET /control HTTP/1.1\r\n\r\n')),
    )
    expect(visits).toEqual(['/control'])
  },
)

const hosts = [
  '127.0.0.1', '127.255.255.254', '127.1', '127.0.1', '0', '0.0.0.0', '0x0', '00', '0.0',
  '2130706433', '017700000001', '0x7f000001', '0X7F000001', '0x7F.1', '0x7f.0x0.0x0.0x1', '0177.0.0.01', '0177.1',
  '127.000.000.001', '127.0.0.1.', '0x7f.1.', 'localhost', 'LOCALHOST', 'localhost.', 'canary.localhost',
  '①②⑦.⓪.⓪.①', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '%31%32%37.0.0.1', '%6c%6f%63%61%6c%68%6f%73%74',
  'ｌｏｃａｌｈｏｓｔ', 'l\u00adocalhost', '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
  '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]',
  '[::ffff:127.0.0.1]', '[::FFFF:7F00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:0.0.0.0]', '[::ffff:169.254.169.254]',
  '[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::]', '[fe80::1]', '[fe80:0:0:0::7f00:1]', '[febf::1]',
  '[fc00::1]', '[fd00:ec2::254]', '[fec0::1]', '[ff02::1]', '[ff01::1]', '[100::1]', '[2001:db8::1]', '[4000::1]',
  '10.0.0.1', '10.1', '0xa.1', '012.1', '167772161', '172.16.0.1', '172.31.255.254', '192.168.0.1', '0xc0a80001', '3232235521',
  '100.64.0.1', '100.100.100.200', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.170.2',
  '169.254.169.123', '168.63.129.16', '192.0.0.192', '192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
] // biome-ignore format: a table

describe(`the export connects to no address that is not public, in any notation (${hosts.length})`, () => {
  let origin: RunningServer
  beforeAll(async () => {
    origin = await startServer((request, response) => {
      const [, status, address] = /^\/(\d+)\?(.*)/.exec(request.url ?? '') ?? []
      const location = Buffer.from(decodeURIComponent(address ?? '')).toString('latin1')
      response.writeHead(Number(status), { location }).end()
    })
  })
  afterAll(() => origin.close())

  test.each(hosts)('%s', async host => {
    const fetcher = openTestFetcher(origin.origin)
    const visits = await canary.visitsDuring(async () => {
      for (const scheme of ['http', 'https']) {
        const address = `${scheme}://${host}:${canary.port}/`
        await expect(fetcher.open(new URL(address)), address).rejects.toMatchObject({ code: 'forbidden' })
        for (const status of [301, 302, 303, 307, 308]) {
          const redirect = new URL(`/${status}?${encodeURIComponent(address)}`, origin.origin)
          await expect(fetcher.open(redirect), `${status} ${address}`).rejects.toMatchObject({ code: 'forbidden' })
        }
      }
    })
    await fetcher.close()
    expect(visits).toEqual([])
  })

  test.each([
    ['a zone id', '[fe80::1%25lo]'],
    ['a zone id on loopback', '[::1%25lo]'],
    ['a zone id that is not escaped', '[fe80::1%lo]'],
    ['too many parts', '127.0.0.0.1'],
    ['a part that is too large', '127.0.0.256'],
    ['a number that is too large', '4294967296'],
    ['an open bracket', '[::1'],
    ['a port in the host', '127.0.0.1:1:2'],
  ])('a URL is invalid with %s: %s', (_, host) => {
    expect(URL.canParse(`http://${host}/`)).toBe(false)
  })

  test.each([
    ['a host name as user', 'http://good.example@127.0.0.1'],
    ['a password', 'http://a:b@127.0.0.1'],
    ['an escaped at sign', 'http://good.example%40x@127.0.0.1'],
    ['an address as user', 'http://127.0.0.1:80@localhost'],
    ['FTP', 'ftp://127.0.0.1'],
    ['WebSocket', 'ws://127.0.0.1'],
    ['gopher', 'gopher://127.0.0.1'],
  ])('refused before any look-up, %s: %s', async (_, address) => {
    const fetcher = openTestFetcher(null)
    const visits = await canary.visitsDuring(() =>
      expect(fetcher.open(new URL(`${address}:${canary.port}/`))).rejects.toMatchObject({ code: 'url' }),
    )
    await fetcher.close()
    expect(visits).toEqual([])
  })
})

describe('the export connects to no host name whose address is not public', () => {
  test.each<[string, string[][]]>([
    ['loopback', [['127.0.0.1']]],
    ['IPv6 loopback', [['::1']]],
    ['a mapped address', [['::ffff:127.0.0.1']]],
    ['the unspecified address', [['0.0.0.0']]],
    ['the metadata service of a cloud', [['169.254.169.254']]],
    ['the IPv6 metadata service of a cloud', [['fd00:ec2::254']]],
    ['NAT64 of loopback', [['64:ff9b::7f00:1']]],
    ['6to4 of loopback', [['2002:7f00:1::1']]],
    ['link-local with a zone', [['fe80::1%lo']]],
    ['a private address after public addresses', [['93.184.215.14', '2606:4700:4700::1111', '127.0.0.1']]],
    ['a private address before a public address', [['::1', '93.184.215.14']]],
    ['a different address at each look-up', [['127.0.0.1'], ['10.0.0.1'], ['::1'], ['169.254.169.254']]],
    ['a text that is not an address', [['not-an-address']]],
  ])('%s', async (_, answers) => {
    let calls = 0
    const lookup: LookupFunction = (_hostname, options, callback) => {
      const found = (answers[calls % answers.length] ?? []).map(address => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }))
      calls += 1
      if (options.all) callback(null, found)
      else callback(null, found[0]?.address ?? '', found[0]?.family ?? 4)
    }
    const fetcher = openTestFetcher(null, lookup)
    const visits = await canary.visitsDuring(async () => {
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        const address = new URL(`http://rebind.example:${canary.port}/${attempt}`)
        await expect(fetcher.open(address)).rejects.toMatchObject({ code: 'forbidden' })
        // The checked address is used. There is no second look-up that could give another address.
        expect(calls).toBe(attempt)
      }
    })
    await fetcher.close()
    expect(visits).toEqual([])
  })

  test('a name with a public address at the first look-up, and loopback addresses later', async () => {
    // A public address that is not assigned. Nothing answers there, so the connection is tried again.
    const answers = ['2fff:ffff::1', '127.0.0.1', '::1']
    let calls = 0
    const lookup: LookupFunction = (_hostname, options, callback) => {
      const address = answers[Math.min(calls, answers.length - 1)] ?? ''
      const family = address.includes(':') ? 6 : 4
      calls += 1
      if (options.all) callback(null, [{ address, family }])
      else callback(null, address, family)
    }
    const fetcher = openTestFetcher(null, lookup)
    const visits = await canary.visitsDuring(async () => {
      const address = new URL(`http://rebind.example:${canary.port}/`)
      await expect(fetcher.open(address)).rejects.toMatchObject({ code: expect.stringMatching(/forbidden|timeout/) })
      await expect(fetcher.open(address)).rejects.toMatchObject({ code: 'forbidden' })
    })
    await fetcher.close()
    expect(calls).toBeGreaterThan(1)
    expect(visits).toEqual([])
  })

  test('other ports and names of the exempt origin are not exempt', async () => {
    const origin = await startFakeSite({ '/': 'x' })
    const fetcher = openTestFetcher(origin.origin)
    const { port } = origin.origin
    for (const address of [
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://127.0.0.2:${port}/`,
      'http://127.0.0.1:1/',
    ])
      await expect(fetcher.open(new URL(address)), address).rejects.toMatchObject({ code: 'forbidden' })
    expect(origin.requests).toEqual([])
    await fetcher.close()
    await origin.close()
  })
})
