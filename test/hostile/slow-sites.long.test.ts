import { describe, expect, test, vi } from 'vitest'
import { drip, home, page, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

describe('sites that are too slow', () => {
  test('a page, a file and an error page, sent byte by byte', { timeout: 20_000 }, async () => {
    const outcome = await run((path, _, response) => {
      if (path === '/')
        return home(
          '<a href="/x">x</a><a href="/gone">z</a><img src="/y.png">' +
            Array.from({ length: 30 }, (_, index) => `<a href="/p${index}">p</a>`).join(''),
        )
      if (/^\/p\d/.test(path)) return page(path)
      response.writeHead(path === '/gone' ? 404 : 200, {
        'content-type': path === '/y.png' ? 'image/png' : 'text/html',
      })
      return drip(response, 'x', 100)
    })
    expect(outcome.exported?.pageCount).toBe(31)
  })

  test('no answers', async () => {
    const { error } = await run(() => null)
    expect(['unreachable', 'timeout']).toContain(error?.code)
    expect(error?.message).toMatch(/did not answer within the limit of 4 seconds|limit of 25 seconds/)
  })

  test('every page takes long: the job ends at its limit', { timeout: 8000 }, async () => {
    const { error } = await run(
      (path, _, response) => {
        setTimeout(
          () => response.writeHead(200, { 'content-type': 'text/html' }).end(page(path, `<a href="${path}x">x</a>`)),
          700,
        )
        return null
      },
      { limits: { jobTimeoutMs: 5000 } },
    )
    expect(error?.message).toMatch(/^The export took longer than its limit of 5 seconds/)
  })

  test('status 503 for ever, with a Retry-After of a year', async () => {
    const { error } = await run(() => ({ status: 503, headers: { 'retry-after': '31536000' } }), {
      limits: { jobTimeoutMs: 20_000 },
    })
    expect(error?.message).toMatch(/did not answer within the limit of 4 seconds|status 503|limit of 20 seconds/)
  })
})
