import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { send } from '../../support/client.ts'
import { addCompletedJob, type CompletedJob } from '../../support/completed-job.ts'
import { startS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import {
  createApiKey,
  createConfig,
  createOrganization,
  startTestServer,
  type TestServer,
} from '../../support/server.ts'

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of presigned links are skipped: ${reason}`)

const linkTtlSeconds = 10
const storageTest = test.skipIf(reason !== undefined)

let s3: Awaited<ReturnType<typeof startS3Bucket>>
let server: TestServer
let headers: Record<string, string>
let job: CompletedJob

beforeAll(async () => {
  if (reason !== undefined) return
  s3 = await startS3Bucket('quire-presigned')
  const location = parseS3Location(`s3://quire-presigned/p?endpoint=${s3.endpoint}`)
  server = await startTestServer({ bundles: location, bundleLinks: 'presigned', linkTtlSeconds })
  const { organizationId } = await createOrganization(server.store)
  headers = { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
  job = await addCompletedJob(server.store, server.dataFolder, organizationId)
  const { bundles, stop } = await openBundles({ dataFolder: server.dataFolder, location })
  const sha256 = createHash('sha256').update(job.content).digest('hex')
  await bundles.publish(job.file, { fileName: `${job.jobId}-1.zip`, sizeBytes: job.content.length, sha256 })
  await stop()
})
afterAll(async () => {
  await server?.dispose()
  await s3?.dispose()
})

async function createLink() {
  const path = `/v1/static-export/jobs/${job.jobId}/bundle`
  const { status, json } = await send(server.url, path, { method: 'POST', headers })
  expect(status).toBe(200)
  return json as { bundleUrl: string; expiresAt: string }
}

async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'error', ...init })
  return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) }
}

storageTest('a presigned link leads to the storage, is safe in a shell, and downloads without a header', async () => {
  const { bundleUrl } = await createLink()
  expect(bundleUrl.startsWith(`${s3.endpoint}/quire-presigned/p/`)).toBe(true)
  expect(bundleUrl).toMatch(/^[A-Za-z0-9:/?&=._~%+-]+$/)
  expect(bundleUrl).not.toContain(s3.credentials.AWS_SECRET_ACCESS_KEY)
  const whole = await ask(bundleUrl)
  expect(whole).toMatchObject({
    status: 200,
    text: job.content,
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="docs.example.com-${job.jobId}.zip"`,
    },
  })
  const etag = String(whole.headers.etag)
  expect(await ask(bundleUrl, { headers: { Range: 'bytes=4-7' } })).toMatchObject({
    status: 206,
    text: job.content.slice(4, 8),
  })
  expect(await ask(bundleUrl, { headers: { Range: 'bytes=-4' } })).toMatchObject({
    status: 206,
    text: job.content.slice(-4),
  })
  expect(await ask(bundleUrl, { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 304 })
  // S3 signs the method too.
  expect(await ask(bundleUrl, { method: 'HEAD' })).toMatchObject({ status: 403 })
})

storageTest('a changed byte of a presigned link is 403, and so is one past its lifetime', async () => {
  const before = Date.now()
  const { bundleUrl, expiresAt } = await createLink()
  const endsAt = Date.parse(expiresAt)
  // The time that S3 signs has whole seconds.
  expect(endsAt - before).toBeGreaterThan((linkTtlSeconds - 2) * 1000)
  expect(endsAt - Date.now()).toBeLessThanOrEqual((linkTtlSeconds + 1) * 1000)
  for (const [part, other] of [
    [`X-Amz-Expires=${linkTtlSeconds}`, 'X-Amz-Expires=99'],
    [/Signature=(.)/, 'Signature=g'],
    [job.jobId, job.jobId.replace(/.$/, last => (last === '0' ? '1' : '0'))],
    ['attachment', 'inline'],
  ] as const) {
    const changed = bundleUrl.replace(part, other)
    expect(changed).not.toBe(bundleUrl)
    expect((await ask(changed)).status).toBe(403)
  }
  expect((await ask(bundleUrl)).status).toBe(200)
  await new Promise(done => setTimeout(done, endsAt + 1001 - Date.now()))
  expect((await ask(bundleUrl)).status).toBe(403)
})

storageTest('an export with a presigned link that works is not deleted, and no link is logged', async () => {
  const { bundleUrl } = await createLink()
  expect(await server.store.exportJobs.delete(job.jobId, Date.now(), false)).toBe('linked')
  const signature = /X-Amz-Signature=(\w+)/.exec(bundleUrl)?.[1] as string
  expect(JSON.stringify(server.logged)).not.toContain(signature)
})

test('presigned links to a folder are refused with a sentence', () => {
  expect(() => createConfig({ data: 'data', bundleLinks: 'presigned' })).toThrow(
    '--bundle-links presigned needs --bundles s3://...: links cannot lead to bundles in the data folder.',
  )
})
