import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFetcher } from '../../../server/web/fetch/fetcher.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'

let allowed: RunningServer
let other: RunningServer
let requests = 0
beforeAll(async () => {
  allowed = await startServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: other.origin.href }).end()
    else response.end('allowed')
  })
  other = await startServer((_, response) => {
    requests += 1
    response.end('other')
  })
})
afterAll(async () => {
  await allowed.close()
  await other.close()
})

/** Requests an address with one allowed origin. Returns the body, or the code of the error. */
async function fetchWith(alsoExempt: URL, address: URL): Promise<string> {
  const fetcher = openFetcher({
    exempt: null,
    alsoExempt: [alsoExempt],
    limits: { totalBytes: 1000, redirects: 2, pageTimeoutMs: 5000, retries: 0, connections: 1 },
    totalExceeded: () => new Error('too large'),
    signal: AbortSignal.timeout(20_000),
  })
  try {
    const answer = await fetcher.open(address)
    return String(await answer.read(1000))
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await fetcher.close()
  }
}

const withScheme = (url: URL, scheme: string) => new URL(url.href.replace(/^http:/, scheme))
const withHost = (url: URL, host: string) => new URL(url.href.replace('127.0.0.1', host))

test('exactly the allowed origin is reached: same scheme, host and port', async () => {
  const { origin } = allowed
  expect(await fetchWith(origin, new URL('/any/path?query', origin))).toBe('allowed')
  expect(await fetchWith(origin, other.origin)).toBe('forbidden')
  expect(await fetchWith(origin, new URL('/away', origin))).toBe('forbidden')
  expect(await fetchWith(origin, withHost(origin, 'localhost'))).toBe('forbidden')
  expect(await fetchWith(origin, withHost(origin, '127.0.0.2'))).toBe('forbidden')
  expect(await fetchWith(withScheme(origin, 'https:'), origin)).toBe('forbidden')
  expect(requests).toBe(0)
})
