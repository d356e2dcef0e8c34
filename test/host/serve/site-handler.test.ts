import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeSiteHeaders } from '../../../server/host/policy.ts'
import { openServedVersion, type ServedVersion } from '../../../server/host/serve/served-version.ts'
import { createSiteHandler } from '../../../server/host/serve/site-handler.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'

const policy = "default-src 'self'"
let folder: string
let server: RunningServer
let current: ServedVersion | null
let earlier: ServedVersion[]
let errors: unknown[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-site-handler-'))
  errors = []
  earlier = []
  current = null
  server = await startServer(
    createSiteHandler({
      current: () => current,
      earlier: () => earlier,
      corsOrigins: ['https://app.example.com'],
      onError: error => errors.push(error),
    }),
  )
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
  expect(errors).toEqual([])
})

/** Writes the files of a version, some of them compressed too. */
function addVersion(id: string, files: Record<string, string | Buffer>, packed: readonly string[] = []): ServedVersion {
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, id, path)), { recursive: true })
    writeFileSync(join(folder, id, path), content)
  }
  for (const [path, content] of Object.entries(files)) {
    write(`files/${path}`, content)
    if (!packed.includes(path)) continue
    write(`br/${path}`, brotliCompressSync(content))
    write(`gzip/${path}`, gzipSync(content))
  }
  const siteHeaders = writeSiteHeaders('air-gapped')
  return openServedVersion({
    id,
    folder: join(folder, id),
    siteHeaders,
    policy,
    vary: 'Accept-Encoding, Origin',
    cacheBytes: 100_000,
    headStart: '',
  })
}

interface Got {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Sends a request whose path stays as it is written. */
function ask(path: string, { method = 'GET', headers = {} } = {}): Promise<Got> {
  return new Promise((done, failed) => {
    request({ host: '127.0.0.1', port: server.origin.port, path, method, headers, agent: false }, async res => {
      const chunks: Buffer[] = []
      for await (const chunk of res) chunks.push(chunk)
      done({ status: res.statusCode ?? 0, headers: res.headers as Record<string, string>, body: Buffer.concat(chunks) })
    })
      .on('error', failed)
      .end()
  })
}

const text = async (path: string) => (await ask(path)).body.toString()

describe('addresses', () => {
  beforeEach(() => {
    current = addVersion('one', {
      'index.html': 'home',
      'a/b.html': 'page /a/b',
      'a/b/index.htm': 'stub',
      'c/index.html': 'page /c/',
      'both.html': 'page /both',
      'both/index.html': 'page /both/',
      'x.html': 'page /x.html',
      'ä ö/ü.html': 'umlauts',
      'data.json': '{}',
      'old/index.htm': 'old index',
    })
  })

  test.each([
    ['/', 'home'],
    ['/index.html', 'home'],
    ['/a/b', 'page /a/b'],
    ['/a/b.html', 'page /a/b'],
    ['/a/b?x=1', 'page /a/b'],
    ['/c/', 'page /c/'],
    ['/c/index.html', 'page /c/'],
    ['/both', 'page /both'],
    ['/both/', 'page /both/'],
    ['/x', 'page /x.html'],
    ['/%C3%A4%20%C3%B6/%C3%BC', 'umlauts'],
    ['/data.json', '{}'],
    ['/old/', 'old index'],
  ])('%s shows %j', async (path, body) => {
    const got = await ask(path)
    expect([got.status, got.body.toString()]).toEqual([200, body])
    // From the cache too.
    expect(await text(path)).toBe(body)
  })

  test.each([
    ['/a/b/', '/a/b'],
    ['/c', '/c/'],
    ['//c/', '/c/'],
    ['//evil.example//..', null],
    ['//a//b', '/a/b'],
    ['/old', '/old/'],
  ])('%s leads to %j', async (path, to) => {
    const got = await ask(path)
    expect([got.status, got.headers.location ?? null]).toEqual(to === null ? [404, null] : [302, to])
  })

  test.each([
    '/none',
    '/a/none',
    '/..%2f..%2fetc/passwd',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/a%00b',
    '/%ff',
    '/%',
    '/a\\b',
    '/a%5Cb',
    '/data.json/x',
    `/${'x'.repeat(5000)}`,
    `/${'x'.repeat(300)}`,
    '/a',
  ])('%s is a 404', async path => {
    const got = await ask(path)
    expect([got.status, got.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(got.headers['content-security-policy']).toBe(policy)
  })

  test('an address in the absolute form is read', async () => {
    expect(await text(`${server.origin.href}a/b`)).toBe('page /a/b')
  })
})

describe('answers', () => {
  const page = '<html>page</html>'.repeat(100)
  const large = Buffer.alloc(3_000_000, 'large ')
  beforeEach(() => {
    current = addVersion(
      'one',
      {
        'index.html': page,
        'app.3f2a9b1c.js': 'js',
        'large.bin': large,
        '404.html': '<head>gone',
        'empty.txt': '',
        'i.png': 'x',
      },
      ['index.html'],
    )
  })

  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['', undefined],
  ])('Accept-Encoding %j gets %j', async (accept, encoding) => {
    const got = await ask('/', { headers: { 'Accept-Encoding': accept } })
    expect([got.headers['content-encoding'], got.headers.vary]).toEqual([encoding, 'Accept-Encoding, Origin, Accept'])
    expect(got.headers['content-length']).toBe(String(got.body.length))
    if (encoding === 'br') expect(brotliDecompressSync(got.body).toString()).toBe(page)
  })

  test('each encoding has its ETag, and each of them gets a 304', async () => {
    const tags = new Set<string>()
    for (const accept of ['br', 'gzip', 'identity']) {
      const headers = { 'Accept-Encoding': accept }
      const { etag = '' } = (await ask('/', { headers })).headers
      tags.add(etag)
      const same = await ask('/', { headers: { ...headers, 'If-None-Match': etag } })
      expect([same.status, same.body.length, same.headers.etag, same.headers['content-length']]).toEqual([
        304,
        0,
        etag,
        undefined,
      ])
    }
    expect(tags.size).toBe(3)
  })

  test('pages are asked for again, hashed files are kept for ever', async () => {
    expect((await ask('/')).headers['cache-control']).toBe('no-cache')
    expect((await ask('/app.3f2a9b1c.js')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test('whatever a browser may run has the policy', async () => {
    const policies = await Promise.all(
      ['/', '/app.3f2a9b1c.js', '/large.bin', '/i.png'].map(
        async path => (await ask(path)).headers['content-security-policy'],
      ),
    )
    expect(policies).toEqual([policy, policy, policy, undefined])
    expect((await ask('/i.png')).headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
  })

  test('HEAD has the headers of GET and no body', async () => {
    const [get, head] = [await ask('/'), await ask('/', { method: 'HEAD' })]
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' })
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is a 405', async method => {
    const got = await ask('/', { method })
    expect([got.status, got.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test.each(['/', '/large.bin'])('a range of %s comes from the file that is not compressed', async path => {
    const whole = path === '/' ? Buffer.from(page) : large
    const headers = { Range: 'bytes=10-19', 'Accept-Encoding': 'br' }
    const got = await ask(path, { headers })
    expect([got.status, got.headers['content-range'], got.body.toString()]).toEqual([
      206,
      `bytes 10-19/${whole.length}`,
      whole.subarray(10, 20).toString(),
    ])
    const etag = got.headers.etag ?? ''
    const [same, other] = await Promise.all(
      [etag, '"other"'].map(tag => ask(path, { headers: { ...headers, 'If-Range': tag } })),
    )
    expect([same?.status, other?.status]).toEqual([206, 200])
    const past = await ask(path, { headers: { Range: `bytes=${whole.length}-` } })
    expect([past.status, past.headers['content-range']]).toEqual([416, `bytes */${whole.length}`])
  })

  test('a large file and an empty one are sent whole', async () => {
    expect((await ask('/large.bin')).body.equals(large)).toBe(true)
    const empty = await ask('/empty.txt')
    expect([empty.status, empty.body.length]).toEqual([200, 0])
  })

  test('the page of the site for missing addresses resolves its links at the root', async () => {
    const got = await ask('/a/b/c')
    expect([got.status, got.body.toString(), got.headers.etag]).toEqual([404, '<head><base href="/"/>gone', undefined])
  })

  test('an origin that is named may read the site, another one may not', async () => {
    const [named, other] = await Promise.all(
      ['https://app.example.com', 'https://evil.example'].map(Origin => ask('/', { headers: { Origin } })),
    )
    expect(named?.headers['access-control-allow-origin']).toBe('https://app.example.com')
    expect(other?.headers['access-control-allow-origin']).toBeUndefined()
    expect(other?.headers.vary).toContain('Origin')
  })
})

test('without a version, the answer is a 503 that says when to ask again', async () => {
  const got = await ask('/')
  expect([got.status, got.headers['retry-after']]).toEqual([503, '5'])
})

test('a hashed file of an earlier version is still there for pages that are open; other files are not', async () => {
  earlier = [addVersion('one', { 'app.3f2a9b1c.js': 'old script', 'about.html': 'old page' })]
  current = addVersion('two', { 'index.html': 'new' })
  expect(await text('/app.3f2a9b1c.js')).toBe('old script')
  expect((await ask('/about')).status).toBe(404)
})

test('a version that is removed while a request looks for its file is replaced by the next one', async () => {
  const gone = addVersion('one', { 'index.html': 'old' })
  const next = addVersion('two', { 'index.html': 'new' })
  current = {
    ...gone,
    recall: () => undefined,
    find: () => {
      current = next
      return Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' }))
    },
  }
  expect(await text('/')).toBe('new')
})

describe('Markdown', () => {
  beforeEach(() => {
    current = addVersion('one', {
      'index.html': '<h1>Home</h1>',
      'a/b.html': '<h1>B</h1><a href="../c/index.html">c</a>',
      'c/index.html': '<h1>C</h1>',
      'c/index.md': 'the twin of c',
      'own.md': 'a file of the site',
      'x.json': '{}',
    })
  })

  test.each([
    ['text/markdown', 'text/markdown; charset=utf-8'],
    ['text/markdown, text/html;q=0.9, */*', 'text/markdown; charset=utf-8'],
    ['text/html, text/markdown', 'text/markdown; charset=utf-8'],
    ['text/html, text/markdown;q=0.5', 'text/html'],
    ['text/markdown;q=0, */*', 'text/html'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
    ['*/*', 'text/html'],
  ])('Accept %j gets %s', async (accept, type) => {
    const got = await ask('/a/b', { headers: { Accept: accept } })
    expect([got.status, got.headers['content-type'], got.headers.vary]).toEqual([
      200,
      type,
      'Accept-Encoding, Origin, Accept',
    ])
  })

  test('a page without a twin is converted, also for a client that compresses', async () => {
    const markdown = '---\ntitle: "B"\n---\n\n# B\n\n[c](../c/index.md)\n'
    expect(await text('/a/b.md')).toBe(markdown)
    const packed = await ask('/a/b.md', { headers: { 'Accept-Encoding': 'br' } })
    expect(brotliDecompressSync(packed.body).toString()).toBe(markdown)
    const again = await ask('/a/b.md', { headers: { 'If-None-Match': (await ask('/a/b.md')).headers.etag ?? '' } })
    expect(again.status).toBe(304)
  })

  test('the twin in the bundle is preferred to a conversion', async () => {
    expect(await text('/c/index.md')).toBe('the twin of c')
    expect((await ask('/c/', { headers: { Accept: 'text/markdown' } })).body.toString()).toBe('the twin of c')
    expect(await text('/own.md')).toBe('a file of the site')
  })

  test.each([
    ['/c.md', '/c/index.md'],
    ['/none.md', null],
    ['/x.json.md', null],
    ['/%2e%2e/a.md', null],
  ])('%s leads to %j', async (path, to) => {
    const got = await ask(path)
    expect([got.status, got.headers.location ?? null]).toEqual(to === null ? [404, null] : [302, to])
  })

  test('pages announce their Markdown; other files do not', async () => {
    expect((await ask('/a/b')).headers.link).toBe('</a/b.md>; rel="alternate"; type="text/markdown"')
    expect((await ask('/c/')).headers.link).toBe('</c/index.md>; rel="alternate"; type="text/markdown"')
    expect((await ask('/x.json')).headers.link).toBeUndefined()
  })
})
