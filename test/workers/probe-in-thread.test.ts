import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { probeInThread } from '../../server/workers/probe-in-thread.ts'

const siteMaps = 20
const tickMs = 20

async function startSite(siteMap: Buffer): Promise<URL> {
  const server = createServer((req, res) => {
    if (req.url === '/') res.setHeader('Content-Type', 'text/html').end('<title>Docs</title><h1>Docs</h1><p>Words.</p>')
    else if (req.url === '/sitemap.xml') {
      const names = Array.from(
        { length: siteMaps },
        (_, at) => `<sitemap><loc>http://${req.headers.host}/${at}.xml.gz</loc></sitemap>`,
      )
      res.setHeader('Content-Type', 'application/xml').end(`<sitemapindex>${names.join('')}</sitemapindex>`)
    } else if (req.url?.endsWith('.gz')) res.setHeader('Content-Type', 'application/gzip').end(siteMap)
    else res.writeHead(404).end()
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

test('tells how the origin of a site answers', async () => {
  const origin = await startSite(gzipSync(`<urlset><url><loc>https://docs.example.com/a</loc></url></urlset>`))
  const probe = await probeInThread({ origin, originAllowed: true, timeoutMs: 5000 })
  expect(probe).toMatchObject({ url: origin.href, status: 200, title: 'Docs', robots: 'none', error: null })
})

test('site maps that take long to read do not keep this thread busy, and end with the time', async () => {
  const origin = await startSite(gzipSync('<url><loc><![CDATA[]]]]'.repeat(350_000)))
  let longestMs = 0
  let at = performance.now()
  const ticking = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - at - tickMs)
    at = performance.now()
  }, tickMs)
  const startedAt = performance.now()
  await probeInThread({ origin, originAllowed: true, timeoutMs: 1000 })
  clearInterval(ticking)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  expect(longestMs).toBeLessThan(500)
}, 20_000)
