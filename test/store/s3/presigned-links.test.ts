import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, type MockInstance, test, vi } from 'vitest'
import { createPresignLink, type PresignLink } from '../../../server/export/jobs/bundle-link.ts'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { loadSdk } from '../../../server/store/s3/s3-client.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { signLink } from '../../../server/store/s3/s3-objects.ts'
import { send } from '../../support/client.ts'
import { addCompletedJob, type CompletedJob } from '../../support/completed-job.ts'
import { createS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import {
  createApiKey,
  createConfig,
  createOrganization,
  startTestServer,
  type TestServer,
} from '../../support/server.ts'

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of presigned links are skipped: ${reason}`)

const linkTtlSeconds = 60
const storageTest = test.skipIf(reason !== undefined)

let s3: Awaited<ReturnType<typeof createS3Bucket>>
let server: TestServer
/** The clock of the server, not of the storage. */
let clock: MockInstance<() => number>
let headers: Record<string, string>
let job: CompletedJob

beforeAll(async () => {
  if (reason !== undefined) return
  s3 = await createS3Bucket('quire-presigned')
  const location = parseS3Location(`s3://quire-presigned/p?endpoint=${s3.endpoint}`)
  // Before the server, because it keeps the function.
  clock = vi.spyOn(Date, 'now')
  server = await startTestServer({ bundles: location, bundleLinks: 'presigned', linkTtlSeconds })
  const { organizationId } = await createOrganization(server.store)
  headers = { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
  job = await addCompletedJob(server.store, server.dataFolder, organizationId)
  const { bundles, stop } = await openBundles({ dataFolder: server.dataFolder, location })
  const sha256 = createHash('sha256').update(job.content).digest('hex')
  await bundles.publish(job.file, { fileName: `${job.jobId}-1.zip`, sizeBytes: job.content.length, sha256 })
  await stop()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})
afterAll(async () => {
  clock?.mockRestore()
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
  // Links that were signed earlier: the storage has reached the end of one, and not of the other.
  for (const [secondsLeft, status] of [
    [-2, 403],
    [30, 200],
  ] as const) {
    clock.mockReturnValue(before - (linkTtlSeconds - secondsLeft) * 1000)
    expect((await ask((await createLink()).bundleUrl)).status).toBe(status)
  }
  clock.mockReset()
})

storageTest('an export with a presigned link that works is not deleted, and no link is logged', async () => {
  const { bundleUrl } = await createLink()
  expect(await server.store.exportJobs.delete(job.jobId, Date.now(), false)).toBe('linked')
  const signature = /X-Amz-Signature=(\w+)/.exec(bundleUrl)?.[1] as string
  expect(JSON.stringify(server.logged)).not.toContain(signature)
})

storageTest('a link ends with temporary credentials, and works until then', async context => {
  const leftSeconds = 400
  const endsAt = (Math.floor(Date.now() / 1000) + leftSeconds) * 1000
  vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', new Date(endsAt).toISOString())
  const location = parseS3Location(`s3://quire-presigned/p?endpoint=${s3.endpoint}`)
  const { bundles, stop } = await openBundles({ dataFolder: server.dataFolder, location })
  context.onTestFinished(() => stop())
  const completed = await server.store.exportJobs.find(job.jobId)
  const presignLink = createPresignLink(bundles, 3600)
  const link = await presignLink?.(completed as Parameters<PresignLink>[0], Date.now())
  expect(link?.expiresAt).toBe(endsAt)
  expect(Number(/X-Amz-Expires=(\d+)/.exec(link?.url ?? '')?.[1])).toBeLessThanOrEqual(leftSeconds)
  expect(await ask(link?.url ?? '')).toMatchObject({ status: 200, text: job.content })
})

const from = 1_700_000_000_000
/** Signs a link with credentials that end after so many seconds, and with others when new ones are asked for. */
async function signWith(leftSeconds: number, renew: () => Promise<number | undefined>) {
  // The SDK asks its own clock whether credentials are old.
  vi.useFakeTimers({ now: from, toFake: ['Date'] })
  const identify = (left: number | undefined) => ({
    accessKeyId: left === leftSeconds ? 'FIRST' : 'RENEWED',
    secretAccessKey: 'secret',
    sessionToken: 'token',
    ...(left !== undefined && { expiration: new Date(from + left * 1000) }),
  })
  const sdk = await loadSdk()
  const client = new sdk.S3Client({
    region: 'us-east-1',
    credentials: async options => identify(options?.forceRefresh ? await renew() : leftSeconds),
  })
  const link = { fileName: 'a.zip', contentType: 'application/zip' as const, from, ttlSeconds: 3600 }
  const { url, expiresAt } = await signLink(sdk, client, { Bucket: 'bucket', Key: 'a.zip' }, link)
  const { searchParams } = new URL(url)
  expect(searchParams.get('X-Amz-Expires')).toBe(String((expiresAt - from) / 1000))
  return { seconds: (expiresAt - from) / 1000, signer: searchParams.get('X-Amz-Credential')?.split('/')[0] }
}
const fail = () => Promise.reject(new Error('The service of the credentials is down.'))

test.each<[string, number, () => Promise<number | undefined>, { seconds: number; signer: string }]>([
  ['that last longer change nothing', 7200, fail, { seconds: 3600, signer: 'FIRST' }],
  ['that end earlier end the link', 1000, fail, { seconds: 1000, signer: 'FIRST' }],
  ['with a minute left are used', 60, fail, { seconds: 60, signer: 'FIRST' }],
  ['with less are replaced', 59, async () => 1800, { seconds: 1800, signer: 'RENEWED' }],
  ['with less may be replaced by lasting ones', 59, async () => undefined, { seconds: 3600, signer: 'RENEWED' }],
  ['with less are used if there are no others', 59, fail, { seconds: 59, signer: 'FIRST' }],
])('temporary credentials %s', async (_, leftSeconds, renew, want) => {
  expect(await signWith(leftSeconds, renew)).toEqual(want)
})

test('credentials that have ended sign nothing', async () => {
  await expect(signWith(-1, fail)).rejects.toMatchObject({ reason: 'storage' })
})

test('presigned links to a folder are refused with a sentence', () => {
  expect(() => createConfig({ data: 'data', bundleLinks: 'presigned' })).toThrow(
    '--bundle-links presigned needs --bundles s3://...: links cannot lead to bundles in the data folder.',
  )
})
