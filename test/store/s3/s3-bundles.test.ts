import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { openS3Objects } from '../../../server/store/s3/s3-objects.ts'
import { checkBundleRequests } from '../../http/bundle-requests.ts'
import { send } from '../../support/client.ts'
import { addCompletedJob } from '../../support/completed-job.ts'
import { startGate } from '../../support/gate.ts'
import { createRandomBytes } from '../../support/random.ts'
import { createUnsteadyS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import { createApiKey, createOrganization, startTestServer } from '../../support/server.ts'

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of bundles in S3 are skipped: ${reason}`)

const storageTest = test.skipIf(reason !== undefined)

const Bucket = 'quire-bundles'
let s3: Awaited<ReturnType<typeof createUnsteadyS3Bucket>>
let client: S3Client
let folder: string
const urlOf = (prefix: string, endpoint = s3.endpoint) => `s3://${Bucket}/${prefix}?endpoint=${endpoint}`
const open = async (prefix: string) => openBundles({ dataFolder: folder, location: parseS3Location(urlOf(prefix)) })
const toBundle = (fileName: string, content: string | Buffer) => ({
  fileName,
  sizeBytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})
const noJob = async () => 'unknown' as const
const write = (content: string | Buffer) => {
  writeFileSync(join(folder, 'archive.zip'), content)
  return join(folder, 'archive.zip')
}
async function listUploads(Prefix: string): Promise<(string | undefined)[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
  return Uploads.map(({ Key }) => Key)
}

beforeAll(async () => {
  if (reason !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'quire-s3-bundles-'))
  s3 = await createUnsteadyS3Bucket(Bucket)
  client = s3.client
})
afterAll(async () => {
  await s3?.dispose()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

storageTest('a large archive is uploaded in parts, opens whole and in part, and is removed', async () => {
  const { bundles, stop } = await open('large')
  const content = createRandomBytes('large', 20 * 1024 ** 2 + 5)
  const bundle = toBundle('se_1-1.zip', content)
  expect(await bundles.check(bundle)).toBe('missing')
  await bundles.publish(write(content), bundle)
  expect([await bundles.check(bundle), await bundles.verify(bundle)]).toEqual(['sound', 'sound'])
  expect((await buffer(await bundles.open('se_1-1.zip'))).equals(content)).toBe(true)
  const part = await buffer(await bundles.open('se_1-1.zip', { first: 8_388_600, last: 8_388_700 }))
  expect(part.equals(content.subarray(8_388_600, 8_388_701))).toBe(true)
  await bundles.remove('se_1-1.zip')
  await bundles.remove('se_1-1.zip')
  expect(await bundles.verify(bundle)).toBe('missing')
  await stop()
})

storageTest('downloads that take all their connections do not keep other requests from the storage', async () => {
  const { bundles, stop } = await open('busy')
  const content = createRandomBytes('busy', 20 * 1024 ** 2)
  await bundles.publish(write(content), toBundle('se_1-1.zip', content))
  await stop()
  const objects = await openS3Objects(parseS3Location(urlOf('busy')), { maxSockets: 1 })
  const download = await objects.read('se_1-1.zip')
  expect(await objects.find('se_1-1.zip')).toMatchObject({ sizeBytes: content.length })
  download.destroy()
  objects.close()
})

storageTest('bytes that another program stored are compared with the record', async () => {
  const { bundles, stop } = await open('foreign')
  const put = (Body: string) => client.send(new PutObjectCommand({ Bucket, Key: 'foreign/se_1-1.zip', Body }))
  const bundle = toBundle('se_1-1.zip', 'an archive')
  await put('an archive')
  expect(await bundles.verify(bundle)).toBe('sound')
  await put('an orchive')
  expect(await bundles.verify(bundle)).toBe('damaged')
  expect(await bundles.check(bundle)).toBe('damaged')
  await put('an arc')
  expect(await bundles.check(bundle)).toBe('damaged')
  await stop()
})

storageTest('an archive never replaces another, and a repeated upload changes nothing', async () => {
  const { bundles, stop } = await open('names')
  for (const content of ['first', 'second', 'second']) {
    await bundles.publish(write(content), toBundle('se_1-1.zip', content))
    expect(await text(await bundles.open('se_1-1.zip'))).toBe(content)
  }
  const etag = createHash('md5').update('first').digest('hex')
  expect(await text(await bundles.open(`lost/se_1-1.zip-${etag}`))).toBe('first')
  await stop()
})

storageTest.each([
  ['begins', /^POST .*\?uploads/],
  ['sends its first part', /^PUT .*partNumber=1&/],
  ['sends its last part', /^PUT .*partNumber=4&/],
])('an upload that ends while it %s has left no parts when it rejects', async (when, request) => {
  const ended = new AbortController()
  const gate = await startGate(s3.endpoint, { onRequest: line => request.test(line) && ended.abort() })
  const prefix = `ended-${when.replaceAll(' ', '-')}`
  const { bundles, stop } = await openBundles({
    dataFolder: folder,
    location: parseS3Location(urlOf(prefix, gate.url)),
  })
  const content = createRandomBytes('ended', 30 * 1024 ** 2)
  const publishing = (async () => bundles.publish(write(content), toBundle('se_1-1.zip', content), ended.signal))()
  await expect(publishing).rejects.toMatchObject({ name: 'AbortError' })
  expect(await listUploads(prefix)).toEqual([])
  expect(await bundles.check(toBundle('se_1-1.zip', content))).toBe('missing')
  await stop()
  await gate.close()
})

storageTest('an upload that ends while the storage joins its parts is complete', async () => {
  const ended = new AbortController()
  const gate = await startGate(s3.endpoint, { onRequest: line => /^POST .*\?uploadId=/.test(line) && ended.abort() })
  const { bundles, stop } = await openBundles({
    dataFolder: folder,
    location: parseS3Location(urlOf('joins', gate.url)),
  })
  const content = createRandomBytes('joined', 10 * 1024 ** 2)
  await bundles.publish(write(content), toBundle('se_1-1.zip', content), ended.signal)
  expect(ended.signal.aborted).toBe(true)
  expect(await bundles.verify(toBundle('se_1-1.zip', content))).toBe('sound')
  expect(await listUploads('joins')).toEqual([])
  await stop()
  await gate.close()
})

storageTest('a file that cannot be read is no fault of the storage', async () => {
  const { bundles, stop } = await open('unreadable')
  const publishing = (async () => bundles.publish(join(folder, 'none.zip'), toBundle('se_1-1.zip', 'none')))()
  await expect(publishing).rejects.toMatchObject({ code: 'ENOENT' })
  await stop()
})

storageTest('uploads of a killed process are removed when they are old, over all pages, and no others', async () => {
  const begin = (Key: string) => client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const keys = [1, 2, 3, 4, 5].map(number => `killed/se_${number}-1.zip`)
  for (const Key of [...keys, 'killed/se_1-1.zip', 'killed/video.mp4', 'another/se_2-1.zip']) await begin(Key)
  const { bundles, stop } = await open('killed')
  expect(await bundles.removeAbandoned?.(Date.now() - 60_000, noJob)).toBe(0)
  const objects = await openS3Objects(parseS3Location(urlOf('killed')))
  const later = Date.now() + 60_000
  expect(await objects.abortUploads(later, name => /_[3-5]/.test(name), 2)).toBe(3)
  expect(await listUploads('killed')).toEqual([keys[0], keys[0], keys[1], 'killed/video.mp4'])
  expect(await bundles.removeAbandoned?.(later, noJob)).toBe(3)
  expect(await listUploads('')).toEqual(['another/se_2-1.zip', 'killed/video.mp4'])
  objects.close()
  await stop()
})

storageTest.each(['../victim.txt', '..', '', 'a/b'])('a recorded name like %j is a missing bundle', async fileName => {
  const { bundles, stop } = await open('large')
  expect(await bundles.verify({ fileName, sizeBytes: 4, sha256: '0'.repeat(64) })).toBe('missing')
  await bundles.remove(fileName)
  await stop()
})

storageTest('the server answers links as from a folder, and 503 while the storage is down', async () => {
  const server = await startTestServer({ bundles: parseS3Location(urlOf('server')) })
  try {
    const { organizationId } = await createOrganization(server.store)
    const headers = { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
    const job = await addCompletedJob(server.store, server.dataFolder, organizationId)
    const { bundles, stop } = await open('server')
    await bundles.publish(job.file, toBundle(`${job.jobId}-1.zip`, job.content))
    const ask = (path: string, method = 'GET') => send(server.url, path, { method, headers })
    const { json } = await ask(`/v1/static-export/jobs/${job.jobId}/bundle`, 'POST')
    const link = String(json.bundleUrl).slice(server.url.length)
    await checkBundleRequests(server.url, link, job.content)
    expect((await ask(link.replace(/.$/, digit => (digit === '0' ? '1' : '0')))).status).toBe(403)

    await s3.stop()
    for (const path of [link, `/v1/static-export/jobs/${job.jobId}`]) {
      const down = await ask(path)
      expect(down).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
      expect(down.headers).not.toHaveProperty('etag')
    }
    mkdirSync(join(server.dataFolder, 'lost'), { recursive: true })
    writeFileSync(join(server.dataFolder, 'lost', `${job.jobId}-1.zip`), job.content)
    await server.restart()
    expect(JSON.stringify(server.logged)).toContain('could not move a bundle back from the folder lost')
    expect((await send(server.url, link)).status).toBe(503)
    await s3.start()
    expect(await send(server.url, link)).toMatchObject({ status: 200, text: job.content })
    await bundles.remove(`${job.jobId}-1.zip`)
    await server.restart()
    expect(await send(server.url, link)).toMatchObject({ status: 200, text: job.content })
    await bundles.remove(`${job.jobId}-1.zip`)
    const error = expect.stringMatching(
      /^The bundle of this export is missing in the storage of the server\. Start another/,
    )
    expect(await send(server.url, link)).toMatchObject({ status: 500, json: { error } })
    expect((await ask(`/v1/static-export/jobs/${job.jobId}`)).json).toMatchObject({ status: 'completed', error })
    expect(JSON.stringify(server.logged)).not.toContain(s3.credentials.AWS_SECRET_ACCESS_KEY)
    await stop()
  } finally {
    await server.dispose()
  }
})

storageTest.each([
  ['an unknown bucket', () => `s3://no-such-bucket?endpoint=${s3.endpoint}`, {}, 'There is no bucket'],
  ['wrong credentials', () => urlOf('x'), { AWS_SECRET_ACCESS_KEY: 'wrong-secret' }, 'refuses the credentials'],
] as const)('the server does not start with %s, and says why', async (_, url, environment, message) => {
  const before = { ...process.env }
  Object.assign(process.env, environment)
  try {
    const started = startTestServer({ bundles: parseS3Location(url()) })
    const error = await started.then(
      () => undefined,
      failure => failure as Error,
    )
    expect(error?.message).toContain(message)
    expect(error?.message).not.toContain('secret')
  } finally {
    Object.assign(process.env, before)
  }
})
