import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { ExportOptions } from '../../server/export/model/options.ts'
import { exportFakeSite, page } from './fake-site.ts'

const pages = 60

/** Serves pages that take a while, and returns the most requests that were under way at once. */
async function countAtOnce(options: Partial<ExportOptions>): Promise<number> {
  let open = 0
  let most = 0
  const links = Array.from({ length: pages }, (_, at) => `<a href="/p${at}.html">${at}</a>`).join(' ')
  const server = createServer(async (req, res) => {
    open += 1
    most = Math.max(most, open)
    await sleep(30)
    open -= 1
    const path = req.url ?? ''
    if (path !== '/' && !path.startsWith('/p')) return void res.writeHead(404).end()
    res.setHeader('Content-Type', 'text/html').end(page(path, path === '/' ? links : ''))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const { pageCount } = await exportFakeSite(origin, { limits: { connections: 8 }, verify: 'static', ...options })
  expect(pageCount).toBe(pages + 1)
  return most
}

test('an export alone uses all connections to its host', async () => {
  expect(await countAtOnce({})).toBe(8)
})

test('exports that fetch from the same host divide its connections', async () => {
  expect(await countAtOnce({ crowd: () => ({ exports: 5, onHost: 4 }) })).toBe(2)
})

test('exports of other hosts take nothing from the host of the site', async () => {
  expect(await countAtOnce({ crowd: () => ({ exports: 8, onHost: 1 }) })).toBe(8)
})
