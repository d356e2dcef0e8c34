import type { AddressInfo, LookupFunction } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultLimits, type ExportLimits, totalExceeded } from '../../../server/export/model/limits.ts'
import { type Fetcher, openFetcher } from '../../../server/web/fetch/fetcher.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'

// A long file: each way in which an answer can be refused, on one set of real servers.

const opened: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  for (const item of opened.splice(0)) await item.close()
})

function open(exempt: URL | null, limits: Partial<ExportLimits> = {}, lookup?: LookupFunction): Fetcher {
  const fetcher = openFetcher({
    exempt,
    limits: { ...defaultLimits, retries: 1, ...limits },
    totalExceeded: () => totalExceeded({ ...defaultLimits, ...limits }),
    signal: new AbortController().signal,
    firstRetryMs: 1,
    ...(lookup ? { lookup } : {}),
  })
  opened.push(fetcher)
  return fetcher
}

async function serve(listener: Parameters<typeof startServer>[0]): Promise<RunningServer> {
  const server = await startServer(listener)
  opened.push(server)
  return server
}

/** Listens on all addresses of this machine and counts the connections. */
async function startCanary(): Promise<{ port: number; connections(): number }> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi')
  })
  await new Promise<void>(resolve => server.listen(0, '::', resolve))
  opened.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise(resolve => server.close(resolve))
    },
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** Notations of hosts that are not public. */
const hosts = [
  '127.0.0.1',
  'localhost',
  '[::1]',
  '[::]',
  '0.0.0.0',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '017700000001',
  '127.000.000.001',
  '127.0.0.1.',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '[fec0::1]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
]

describe('connects to no address that is not public', () => {
  test(`by address, in ${hosts.length} notations`, async () => {
    const canary = await startCanary()
    const fetcher = open(null, { pageTimeoutMs: 2000 })
    for (const host of hosts) {
      await expect(fetcher.open(new URL(`http://${host}:${canary.port}/`)), host).rejects.toMatchObject({
        code: 'forbidden',
      })
      await expect(fetcher.open(new URL(`https://${host}:${canary.port}/`)), host).rejects.toMatchObject({
        code: 'forbidden',
      })
    }
    expect(canary.connections()).toBe(0)
  })

  test('by redirect from the allowed origin, also to another port of its host', async () => {
    const canary = await startCanary()
    const server = await serve((request, response) => {
      // Node writes headers in Latin-1, so the UTF-8 bytes are decoded as Latin-1.
      const location = Buffer.from(decodeURIComponent(request.url?.slice(2) ?? '')).toString('latin1')
      response.writeHead(302, { location }).end()
    })
    const fetcher = open(server.origin, { pageTimeoutMs: 2000 })
    for (const host of hosts) {
      const target = new URL(`/?${encodeURIComponent(`http://${host}:${canary.port}/x`)}`, server.origin)
      await expect(fetcher.open(target), host).rejects.toMatchObject({ code: 'forbidden' })
    }
    expect(canary.connections()).toBe(0)
  })

  test.each<[string, string[][]]>([
    ['that resolves to loopback', [['127.0.0.1']]],
    ['that resolves to IPv6 loopback', [['::1']]],
    ['that resolves to a mapped address', [['::ffff:127.0.0.1']]],
    ['that has one private address among public ones', [['93.184.215.14', '10.0.0.1']]],
    ['that changes between look-ups', [['10.0.0.1'], ['127.0.0.1'], ['::1'], ['169.254.169.254']]],
  ])('by a name %s', async (_, answers) => {
    const canary = await startCanary()
    let calls = 0
    const lookup: LookupFunction = (_hostname, options, callback) => {
      const answer = (answers[calls % answers.length] ?? []).map(address => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }))
      calls += 1
      if (options.all) callback(null, answer)
      else callback(null, answer[0]?.address ?? '', answer[0]?.family ?? 4)
    }
    const fetcher = open(null, { pageTimeoutMs: 2000 }, lookup)
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await expect(fetcher.open(new URL(`http://rebind.example:${canary.port}/`))).rejects.toMatchObject({
        code: 'forbidden',
      })
      // One look-up per connection: the checked address is used.
      expect(calls).toBe(attempt)
    }
    expect(canary.connections()).toBe(0)
  })

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'http://user:secret@example.com/', 'data:text/html,x'])(
    'by %s',
    async address => {
      await expect(open(null).open(new URL(address))).rejects.toMatchObject({ code: 'url' })
    },
  )
})

test('the configured origin may be loopback', async () => {
  const server = await serve((_request, response) => response.end('hello'))
  const answer = await open(server.origin).open(server.origin)
  expect((await answer.read(100)).toString()).toBe('hello')
})

test('follows redirects up to the limit, and returns the last address', async () => {
  const server = await serve((request, response) => {
    const hop = Number(request.url?.slice(1) ?? 0)
    if (hop === 0) response.end('here')
    else response.writeHead(302, { location: `${hop - 1}#part` }).end()
  })
  const fetcher = open(server.origin, { redirects: 3 })
  const answer = await fetcher.open(new URL('/3', server.origin))
  expect([answer.url.pathname, answer.redirected]).toEqual(['/0', true])
  await answer.drop()
  await expect(fetcher.open(new URL('/4', server.origin))).rejects.toMatchObject({ code: 'redirects' })
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
])('unpacks %s', async (encoding, pack) => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(pack(Buffer.from('packed text')))
  })
  const answer = await open(server.origin).open(server.origin)
  expect((await answer.read(100)).toString()).toBe('packed text')
})

describe('ends within its limits', () => {
  const limits = { pageTimeoutMs: 700, fileBytes: 100_000 }
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  test.each<[string, string, Parameters<typeof startServer>[0]]>([
    ['a body past the limit', 'too_large', (_q, s) => s.end(Buffer.alloc(200_000))],
    ['a compression bomb', 'too_large', (_q, s) => s.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)],
    [
      'an endless body',
      'too_large',
      (_q, s) => {
        const timer = setInterval(() => s.write(Buffer.alloc(16_384)), 1)
        s.on('close', () => clearInterval(timer))
      },
    ],
    [
      'slow bytes',
      'timeout',
      (_q, s) => {
        const timer = setInterval(() => s.write('x'), 50)
        s.on('close', () => clearInterval(timer))
      },
    ],
    ['no answer at all', 'timeout', () => {}],
    [
      'damaged compression',
      'encoding',
      (_q, s) => s.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'),
    ],
    ['unknown compression', 'encoding', (_q, s) => s.writeHead(200, { 'content-encoding': 'rar' }).end('x')],
    [
      'layers of compression',
      'encoding',
      (_q, s) => s.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip' }).end('x'),
    ],
    ['a broken connection', 'network', (_q, s) => s.destroy()],
    [
      'a body cut short',
      'network',
      (_q, s) => {
        s.writeHead(200, { 'content-length': 1000 }).write('x')
        setTimeout(() => s.destroy(), 20)
      },
    ],
  ])('%s', async (_, code, listener) => {
    const server = await serve(listener)
    const fetcher = open(server.origin, limits)
    const work = fetcher.open(server.origin).then(answer => answer.read(limits.fileBytes))
    await expect(work).rejects.toMatchObject({ code })
  })
})

test.each([
  ['10 MB of a header', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(1e7)}`],
  ['a Location of 1 MB', `HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /${'a'.repeat(1e6)}\r\n\r\n`],
  ['100,000 headers', `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${'a: b\r\n'.repeat(100_000)}\r\n`],
])('%s is an error after one request', async (_, bytes) => {
  const server = await serve((_request, response) => void response.socket?.write(bytes))
  const work = open(server.origin).open(server.origin)
  const message = `the headers of the answer of ${server.origin.host} are larger than 16 KB`
  await expect(work).rejects.toMatchObject({ code: 'network', message })
  expect(server.requests).toHaveLength(1)
})

test('retries a few times if the server is busy', async () => {
  const statuses = [503, 200]
  const server = await serve((_request, response) => response.writeHead(statuses.shift() ?? 503).end('x'))
  const fetcher = open(server.origin)
  const first = await fetcher.open(server.origin)
  await first.drop()
  const second = await fetcher.open(server.origin)
  await second.drop()
  expect([first.status, second.status]).toEqual([200, 503])
  expect(server.requests).toHaveLength(4)
})

describe('an answer without a Content-Type', () => {
  const plain = `<!-- c -->\n${'x'.repeat(5000)}`
  const cases: [string, string | Buffer, Record<string, string>, string][] = [
    ['a page', '<!DOCTYPE html><p>x', {}, 'text/html'],
    ['a page after white space', '\n\t <HtMl lang=en>', {}, 'text/html'],
    ['a page that is longer than the part that is examined', plain, {}, 'text/html'],
    ['a page with an unknown type', '<title>x</title>', { 'content-type': 'unknown/unknown' }, 'text/html'],
    ['a page that is compressed', gzipSync(plain), { 'content-encoding': 'gzip' }, 'text/html'],
    ['a page with nosniff', '<!doctype html>', { 'x-content-type-options': 'NoSniff' }, ''],
    ['a text that begins with another tag', '<path d=""/>', {}, ''],
    ['a picture', '<svg xmlns="http://www.w3.org/2000/svg"/>', {}, ''],
    ['a text', 'a < b', {}, ''],
    ['a page with the type of a text', '<!doctype html>', { 'content-type': 'text/plain' }, 'text/plain'],
    ['nothing', '', {}, ''],
  ]
  test.each(cases)('%s', async (_, body, headers, type) => {
    const server = await serve((_, response) => response.writeHead(200, headers).end(body))
    const answer = await open(server.origin).open(server.origin)
    expect(answer.type).toBe(type)
    const want = headers['content-encoding'] ? plain : String(body)
    expect((await answer.read(10_000)).toString()).toBe(want)
  })

  test('that is too large, dropped or damaged ends like any other', async () => {
    const server = await serve((request, response) =>
      response.writeHead(200, request.url === '/bad' ? { 'content-encoding': 'gzip' } : {}).end(plain),
    )
    const fetcher = open(server.origin)
    await expect((await fetcher.open(server.origin)).read(4000)).rejects.toMatchObject({ code: 'too_large' })
    await (await fetcher.open(server.origin)).drop()
    await expect(fetcher.open(new URL('/bad', server.origin))).rejects.toMatchObject({ code: 'encoding' })
  })
})
