import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { createRandom } from '../support/random.ts'
import { setUpBrowserlessExports } from './browserless-exports.ts'
import { exportFakeSite, page } from './fake-site.ts'
import { type RunningServer, startServer } from './static-server.ts'

setUpBrowserlessExports()
const servers: RunningServer[] = []
afterAll(async () => {
  for (const server of servers) await server.close()
})

const pages = Array.from({ length: 101 }, (_, index) => `/p${index}`)
const links = pages.map(path => `<a href="${path}">x</a>`).join('')

async function serve(listener: RequestListener): Promise<RunningServer> {
  const server = await startServer(listener)
  servers.push(server)
  return server
}

const bodyOf = (path: string) =>
  path === '/' ? page('home', `<ul>${links}</ul>`) : pages.includes(path) ? page(path, 'x'.repeat(5000)) : null

/** Serves 102 pages. A twentieth of the answers are an error, cut in the middle, or end before they begin. */
function failSometimes(seed: string): RequestListener {
  const random = createRandom(seed)
  return (request, response) => {
    const body = bodyOf(request.url ?? '/')
    const isFailing = random() < 0.05
    const way = random()
    if (isFailing && way < 0.4) response.writeHead(500).end()
    else if (isFailing && way < 0.5) response.writeHead(503).end()
    else if (isFailing && way < 0.6) response.destroy()
    else if (body === null) response.writeHead(404).end('no')
    else if (!isFailing) response.writeHead(200, { 'content-type': 'text/html' }).end(body)
    else {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': body.length }).write(body.slice(0, 2000))
      setTimeout(() => response.destroy(), 1)
    }
  }
}

test('of a site that fails a twentieth of its answers every page is packed, with the same bytes', async () => {
  const hashes = []
  for (const listener of [failSometimes('one'), failSometimes('two'), failSometimes('three')]) {
    const { origin } = await serve(listener)
    const { pageCount, report, entries } = await exportFakeSite(origin, { limits: { retries: 4 } })
    expect([pageCount, report.skipped, report.deadLinks]).toEqual([102, [], []])
    const hash = createHash('sha256')
    for (const { name, content } of entries) hash.update(name).update(content)
    hashes.push(hash.digest('hex'))
  }
  expect(new Set(hashes).size).toBe(1)
})

test('a site that goes down in the middle is given up soon, and the error says so', async () => {
  let answers = 0
  const { origin, requests } = await serve((request, response) => {
    const body = bodyOf(request.url ?? '/')
    answers += 1
    if (answers > 60) response.destroy()
    else response.writeHead(body ? 200 : 404, { 'content-type': 'text/html' }).end(body ?? 'no')
  })
  const error = await exportFakeSite(origin, { limits: { retries: 4, pageTimeoutMs: 1000 } }).catch(error => error)
  expect(error).toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(
      /^\d+ of 102 pages could not be fetched\..* the connection to 127\.0\.0\.1:\d+ failed .*Start again when docs\.example\.com answers/,
    ),
  })
  // Up to 15 at once, again after each of the few waits that fit into two seconds. Five attempts for each page would be 210.
  expect(requests.length).toBeLessThan(60 + 100)
})
