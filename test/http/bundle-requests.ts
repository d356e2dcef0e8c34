import { expect } from 'vitest'
import { send } from '../support/client.ts'

/** Rule 9 beyond what a usual client asks: requests that every store of bundles answers alike. The bundle has `content`. */
export async function checkBundleRequests(serverUrl: string, link: string, content: string | Buffer): Promise<void> {
  const ask = (headers: Record<string, string>, method = 'GET') => send(serverUrl, link, { method, headers })
  const bytes = Buffer.from(content as string)
  const textOf = (first: number, last: number) => bytes.subarray(first, last + 1).toString()
  const sizeBytes = bytes.length
  const head = await ask({}, 'HEAD')
  expect(head).toMatchObject({
    status: 200,
    text: '',
    headers: {
      'accept-ranges': 'bytes',
      'content-length': String(sizeBytes),
      'content-type': 'application/zip',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    },
  })
  const etag = String(head.headers.etag)
  for (const [headers, first, last] of [
    [{ Range: 'bytes=0-1' }, 0, 1],
    [{ Range: 'bytes=3-' }, 3, sizeBytes - 1],
    [{ Range: 'bytes=-4' }, sizeBytes - 4, sizeBytes - 1],
    [{ Range: 'bytes=-99999999' }, 0, sizeBytes - 1],
    [{ Range: 'bytes=2-99999999' }, 2, sizeBytes - 1],
    [{ Range: 'bytes=2-5', 'If-Range': etag }, 2, 5],
  ] as [Record<string, string>, number, number][]) {
    expect(await ask(headers)).toMatchObject({
      status: 206,
      text: textOf(first, last),
      headers: {
        etag,
        'content-range': `bytes ${first}-${last}/${sizeBytes}`,
        'content-length': String(last - first + 1),
      },
    })
  }
  // Several ranges, another unit, tags that do not match, and dates: a bundle has no Last-Modified, so none applies to it.
  for (const headers of [
    { Range: 'bytes=0-1,4-5' },
    { Range: 'pages=0-1' },
    { Range: 'bytes=5-2' },
    { Range: 'bytes=0-1', 'If-Range': '"x"' },
    { Range: 'bytes=0-1', 'If-Range': `W/${etag}` },
    { Range: 'bytes=0-1', 'If-Range': 'Mon, 23 Nov 2026 10:00:00 GMT' },
    { 'If-Unmodified-Since': 'Mon, 23 Nov 2026 10:00:00 GMT' },
    { 'If-Match': `"x", ${etag}` },
    { 'If-None-Match': '"x"' },
  ] as Record<string, string>[]) {
    const whole = await ask(headers)
    expect(whole).toMatchObject({
      status: 200,
      text: textOf(0, sizeBytes),
      headers: { 'content-length': String(sizeBytes) },
    })
    expect(whole.headers).not.toHaveProperty('content-range')
  }
  expect(await ask({ Range: 'bytes=0-1' }, 'HEAD')).toMatchObject({ status: 200 })
  for (const method of ['GET', 'HEAD']) {
    expect(await ask({ 'If-None-Match': etag }, method)).toMatchObject({ status: 304, text: '', headers: { etag } })
    for (const tag of ['"x"', `W/${etag}`]) {
      const refused = await ask({ 'If-Match': tag }, method)
      expect(refused).toMatchObject({ status: 412, headers: { 'content-type': expect.stringContaining('json') } })
      expect(refused.headers).not.toHaveProperty('content-disposition')
    }
  }
  expect(await ask({ Range: 'bytes=999999999-' })).toMatchObject({
    status: 416,
    headers: { 'content-range': `bytes */${sizeBytes}`, 'content-type': expect.stringContaining('json') },
  })
}
