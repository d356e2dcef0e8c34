import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import yauzl from 'yauzl'
import { createMock, type Mock } from '../../spec/package/mock/index.ts'
import { hashText, sha256, toHex } from '../../spec/package/mock/sha256.ts'
import { createRandomBytes } from '../support/random.ts'

const origin = 'http://mock.test'
const names = ['guides/quickstart.html', 'index.html', 'style.css']

async function createLink(mock: Mock, jobId = 'se_0f3c9a1b2d4e5f60') {
  const init = { method: 'POST', headers: { Authorization: 'Bearer any' } }
  const response = await mock.answer(new Request(`${origin}/v1/static-export/jobs/${jobId}/bundle`, init))
  return (await response.json()) as { bundleUrl: string; sizeBytes: number; sha256: string; expiresAt: string }
}

const download = (mock: Mock, url: string, init: RequestInit = {}) => mock.answer(new Request(url, init))

test('the zip behind a link opens, and has the announced size and digest', async () => {
  const mock = createMock({ stepSeconds: 1 })
  const link = await createLink(mock)
  const response = await download(mock, link.bundleUrl)
  expect(response.headers.get('Content-Type')).toBe('application/zip')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.length).toBe(link.sizeBytes)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(link.sha256)
  const zip = await yauzl.fromBufferPromise(bytes)
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
    files.set(entry.fileName, Buffer.concat(chunks).toString())
  }
  expect([...files.keys()].sort()).toEqual(names)
  expect(files.get('index.html')).toContain('<h1>Example documentation</h1>')
})

test('the tar.gz behind a link opens', async () => {
  const mock = createMock({ stepSeconds: 1 })
  const response = await download(mock, (await createLink(mock, 'se_b8e2f4a60c1d3579')).bundleUrl)
  const tar = gunzipSync(await response.arrayBuffer())
  const files = new Map<string, string>()
  const reader = extract()
  reader.end(tar)
  for await (const entry of reader) {
    const chunks: Buffer[] = []
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
    files.set(entry.header.name, Buffer.concat(chunks).toString())
  }
  expect([...files.keys()].sort()).toEqual(names)
  expect(files.get('style.css')).toContain('body {')
})

test('a link expires, and another one works', async () => {
  const mock = createMock({ scenario: 'short-links', stepSeconds: 2 })
  const { bundleUrl } = await createLink(mock)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await download(mock, bundleUrl)).status)
  expect(statuses).toEqual([200, 200, 403, 403])
  expect((await download(mock, (await createLink(mock)).bundleUrl)).status).toBe(200)
})

test('a changed link is refused', async () => {
  const mock = createMock({ stepSeconds: 1 })
  const { bundleUrl } = await createLink(mock)
  for (const url of [
    bundleUrl.replace('se_0f', 'se_b8'),
    bundleUrl.replace(/.$/, '!'),
    bundleUrl.split('?')[0] ?? '',
  ]) {
    expect((await download(mock, url)).status).toBe(403)
  }
})

test('the settings of a request work for a link, too', async () => {
  const waited: number[] = []
  const mock = createMock({ stepSeconds: 1, wait: async delayMs => void waited.push(delayMs) })
  const { bundleUrl } = await createLink(mock)
  const ask = async (query: string, init: RequestInit = {}) => {
    const response = await download(mock, `${bundleUrl}${query}`, init)
    const text = response.body ? await response.text() : ''
    return {
      status: response.status,
      retryAfter: response.headers.get('Retry-After'),
      text,
      etag: response.headers.get('ETag'),
    }
  }
  expect(await ask('&__error=500&__delay=30')).toMatchObject({
    status: 500,
    text: expect.stringContaining('Internal server error.'),
    etag: null,
  })
  expect(waited).toEqual([30])
  expect(await ask('&__error=503')).toMatchObject({ status: 503, retryAfter: '5' })
  expect(await ask('', { headers: { Prefer: 'error=403' } })).toMatchObject({
    status: 403,
    text: expect.stringContaining('This link has expired'),
  })
  expect(await ask('', { headers: { Prefer: 'code=404' } })).toMatchObject({ status: 404 })
  expect(await ask('&__error=404', { method: 'HEAD' })).toMatchObject({ status: 404, text: '' })
  expect((await download(mock, `${bundleUrl}&__error=network`)).type).toBe('error')
  expect(await ask('&__error=plan')).toMatchObject({
    status: 400,
    text: expect.stringContaining(
      'A link to a bundle has no error plan. Choose a status (403, 404, 500, 503), or network.',
    ),
  })
  // A setting for all requests applies where there is such an error.
  mock.use({ error: 'plan' })
  expect(await ask('')).toMatchObject({ status: 200 })
  mock.use({ error: '500' })
  expect(await ask('')).toMatchObject({ status: 500 })
  expect(await ask('&__error=')).toMatchObject({ status: 200 })
})

test('ranges, conditions and HEAD work as on the server', async () => {
  const mock = createMock({ stepSeconds: 1 })
  const { bundleUrl, sizeBytes } = await createLink(mock)
  const whole = await download(mock, bundleUrl)
  const etag = whole.headers.get('ETag') ?? ''
  const bytes = Buffer.from(await whole.arrayBuffer())
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const response = await download(mock, bundleUrl, { method, headers })
    const body = Buffer.from(await response.arrayBuffer())
    return { status: response.status, range: response.headers.get('Content-Range'), body }
  }
  expect(await ask({ Range: 'bytes=10-19' })).toEqual({
    status: 206,
    range: `bytes 10-19/${sizeBytes}`,
    body: bytes.subarray(10, 20),
  })
  expect(await ask({ Range: 'bytes=-5' })).toMatchObject({ status: 206, body: bytes.subarray(-5) })
  expect(await ask({ Range: `bytes=100-`, 'If-Range': etag })).toMatchObject({ status: 206, body: bytes.subarray(100) })
  expect(await ask({ Range: 'bytes=100-', 'If-Range': '"other"' })).toMatchObject({ status: 200, body: bytes })
  expect(await ask({ Range: `bytes=${sizeBytes}-` })).toMatchObject({ status: 416, range: `bytes */${sizeBytes}` })
  expect(await ask({ Range: 'bytes=5-2' })).toMatchObject({ status: 200 })
  expect(await ask({ 'If-None-Match': etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  expect(await ask({ 'If-Match': '"other"' })).toMatchObject({ status: 412 })
  expect(await ask({}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.alloc(0) })
})

test('the SHA-256 is that of Node', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const bytes = createRandomBytes('sha256', length)
    expect(toHex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
  expect(hashText('quire')).toBe(createHash('sha256').update('quire').digest('base64url'))
})
