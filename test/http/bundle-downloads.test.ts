import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest'
import { parseS3Location } from '../../server/store/s3/s3-location.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createS3Bucket, type S3Server, whyNoS3Server } from '../support/s3-server.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { checkBundleRequests } from './bundle-requests.ts'

// Rule 9 of the wire rules in wire-rules.test.ts, with bundles in a folder and in S3.

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The downloads of bundles in S3 are not tested: ${reason}`)

const Bucket = `quire-downloads-${process.env.QUIRE_TEST_STORE ?? 'sqlite'}`
let site: Awaited<ReturnType<typeof startSite>>
beforeAll(async () => {
  site = await startSite(3)
})
afterAll(() => site.close())

for (const place of ['a folder', 'S3'] as const) {
  describe.skipIf(place === 'S3' && reason !== undefined)(`rule 9: the link to a bundle in ${place}`, () => {
    let storage: S3Server | undefined
    /** Links end after an hour, and after a minute. */
    let server: TestServer
    let brief: TestServer
    /** The clock of the servers. */
    let clock: MockInstance<() => number>
    let whole: { url: string; sha256: string; sizeBytes: number }

    beforeAll(async () => {
      storage = place === 'S3' ? await createS3Bucket(Bucket) : undefined
      const endpoint = storage?.endpoint
      const flags = (prefix: string) => ({
        verify: 'static' as const,
        ...(endpoint && { bundles: parseS3Location(`s3://${Bucket}/${prefix}?endpoint=${endpoint}`) }),
      })
      // Before the servers, because they keep the function.
      clock = vi.spyOn(Date, 'now')
      server = await startTestServer(flags('usual'))
      brief = await startTestServer({ ...flags('brief'), linkTtlSeconds: 60 })
      whole = (await exportSite(server)).bundle
    })
    afterAll(async () => {
      clock.mockRestore()
      await server?.dispose()
      await brief?.dispose()
      await storage?.dispose()
    })

    const pathOf = () => whole.url.slice(server.url.length)

    test('is safe in a shell, and downloads the recorded bytes without a header', async () => {
      expect(whole.url).toMatch(/^[A-Za-z0-9:/?&=._~%+-]+$/)
      const response = await fetch(whole.url, { redirect: 'error' })
      const bytes = Buffer.from(await response.arrayBuffer())
      expect([response.status, bytes.toString('latin1', 0, 2), bytes.length]).toEqual([200, 'PK', whole.sizeBytes])
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(whole.sha256)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        etag: `"${whole.sha256}"`,
        'accept-ranges': 'bytes',
        'content-type': 'application/zip',
        'content-disposition': expect.stringMatching(/^attachment; filename="docs\.example\.com-se_\w+\.zip"$/),
      })
    })

    test('HEAD, Range, If-Range, ETag and If-None-Match work', async () => {
      const bytes = Buffer.from(await (await fetch(whole.url)).arrayBuffer())
      await checkBundleRequests(server.url, pathOf(), bytes)
    })

    test('a changed byte is 403', async () => {
      const path = pathOf()
      for (let i = '/bundles/'.length; i < path.length; i += 7) {
        const changed = path.slice(0, i) + (path[i] === '0' ? '1' : '0') + path.slice(i + 1)
        expect((await send(server.url, changed)).status).toBe(403)
      }
    })

    test('is never logged', async () => {
      const path = pathOf()
      await send(server.url, path)
      await send(server.url, `${path}0`)
      const signature = /signature=([0-9a-f]+)/.exec(path)?.[1] as string
      await waitFor(async () => server.logged.find(line => line.path === '/bundles/...' && line.status === 403))
      expect(JSON.stringify(server.logged)).not.toContain(signature)
    })

    test('is 403 one second past its lifetime', async () => {
      const { bundle, renew } = await exportSite(brief)
      expect(bundle.sha256).toBe(whole.sha256)
      const { bundleUrl, expiresAt } = await renew()
      const path = String(bundleUrl).slice(brief.url.length)
      expect((await send(brief.url, path, { method: 'HEAD' })).status).toBe(200)
      clock.mockReturnValue(Date.parse(String(expiresAt)) + 1001)
      expect((await send(brief.url, path, { method: 'HEAD' })).status).toBe(403)
      expect((await send(brief.url, path)).status).toBe(403)
    })
  })
}

/** Exports the site, and returns what the API says about the bundle. `renew` asks for another link. */
async function exportSite(server: TestServer) {
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const domain = 'docs.example.com'
  await server.store.sites.insert({ domain, projectId, origin: site.url, createdAt: Date.now() })
  const body = JSON.stringify({ domain })
  const started = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
  expect(started.status).toBe(202)
  const path = `/v1/static-export/jobs/${started.json.jobId}/bundle`
  const renew = () =>
    waitFor(async () => {
      const { status, json } = await send(server.url, path, { method: 'POST', headers })
      expect([200, 409]).toContain(status)
      return status === 200 ? json : undefined
    })
  const { bundleUrl, sha256, sizeBytes } = await renew()
  return { bundle: { url: String(bundleUrl), sha256: String(sha256), sizeBytes: Number(sizeBytes) }, renew }
}
