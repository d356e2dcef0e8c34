import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { home, reasonsOf, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

describe('compression bombs', () => {
  const zeros = Buffer.alloc(200 * 1024 * 1024)
  const bombs: [string, string, () => Buffer][] = [
    ['gzip', 'gzip', () => gzipSync(zeros)],
    ['brotli', 'br', () => brotliCompressSync(zeros, { params: { 0: 1, 1: 4 } })],
    ['zstd', 'zstd', () => zstdCompressSync(zeros)],
    ['gzip in gzip', 'gzip, gzip', () => gzipSync(gzipSync(zeros))],
    ['twenty layers', Array(20).fill('gzip').join(','), () => gzipSync(zeros)],
    ['a wrong Content-Encoding', 'br', () => gzipSync('x')],
  ]
  test.each(bombs)('a page and a picture: %s', async (_, encoding, make) => {
    const body = make()
    const memory = process.memoryUsage().rss
    const answer = (type: string) => ({ body, headers: { 'content-encoding': encoding, 'content-type': type } })
    const outcome = await run(path =>
      path === '/'
        ? home('<a href="/x">x</a><img src="/y.png">')
        : path === '/x'
          ? answer('text/html')
          : path === '/y.png'
            ? answer('image/png')
            : undefined,
    )
    expect(outcome.exported?.pageCount).toBe(1)
    expect(reasonsOf(outcome)).toMatch(/limit of 1\.9 MB|compressed/)
    expect(process.memoryUsage().rss - memory).toBeLessThan(150 * 1024 ** 2)
  })

  test('a sitemap: gzip in gzip', async () => {
    const bomb = gzipSync(gzipSync(zeros))
    const { exported } = await run(path =>
      path === '/'
        ? home('')
        : path === '/sitemap.xml'
          ? { body: bomb, headers: { 'content-encoding': 'gzip', 'content-type': 'application/gzip' } }
          : undefined,
    )
    expect(exported?.pageCount).toBe(1)
  })
})
