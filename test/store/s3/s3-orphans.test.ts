import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { UnavailableError } from '../../../server/base/unavailable-error.ts'
import { deleteExport } from '../../../server/export/jobs/delete-export.ts'
import { removeAbandoned } from '../../../server/export/jobs/retention.ts'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { openS3Bundles } from '../../../server/store/s3/s3-bundles.ts'
import { loadSdk } from '../../../server/store/s3/s3-client.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { copyObject, openS3Objects } from '../../../server/store/s3/s3-objects.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import { addCompletedJob } from '../../support/completed-job.ts'
import { createRandomBytes } from '../../support/random.ts'
import { createUnsteadyS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import { createOrganization } from '../../support/server.ts'

// What deletions and uploads leave in the storage when they are interrupted.

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of what is left in S3 are skipped: ${reason}`)

const storageTest = test.skipIf(reason !== undefined)

const Bucket = 'quire-orphans'
let s3: Awaited<ReturnType<typeof createUnsteadyS3Bucket>>
let folder: string
let prefix: string
let store: Store
let organizationId: string
let opened: Awaited<ReturnType<typeof openBundles>>

beforeAll(async () => {
  if (reason === undefined) s3 = await createUnsteadyS3Bucket(Bucket)
})
afterAll(() => s3?.dispose())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-s3-orphans-'))
  prefix = folder.slice(-6)
  store = openStore(folder)
  organizationId = (await createOrganization(store)).organizationId
  if (reason === undefined) opened = await openBundles({ dataFolder: folder, location: locate() })
})
afterEach(async () => {
  store.close()
  await opened?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const locate = () => parseS3Location(`s3://${Bucket}/${prefix}?endpoint=${s3.endpoint}`)

/** Adds a completed job whose bundle is in the storage. Returns its id and the name of its bundle. */
async function addJob() {
  const { jobId, file, content } = await addCompletedJob(store, folder, organizationId)
  const fileName = `${jobId}-1.zip`
  const sha256 = createHash('sha256').update(content).digest('hex')
  await opened.bundles.publish(file, { fileName, sizeBytes: content.length, sha256 })
  return { jobId, fileName }
}

const put = (name: string) => s3.client.send(new PutObjectCommand({ Bucket, Key: `${prefix}/${name}`, Body: 'x' }))

async function listObjects(): Promise<(string | undefined)[]> {
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}/` }))
  return Contents.map(({ Key }) => Key?.slice(prefix.length + 1))
}

const remove = (jobId: string, exportJobs: Parameters<typeof deleteExport>[0]['exportJobs'] = store.exportJobs) =>
  deleteExport({ exportJobs, bundles: opened.bundles }, jobId, { now: Date.now(), despiteLink: false })

/** Runs the retention some hours later. Returns the counts that it logs. */
async function removeAfter(hours: number, stores: Pick<Store, 'exportJobs'> = store): Promise<object[]> {
  const logged: object[] = []
  const log = { info: (details: object) => logged.push(details), warn() {}, error() {} }
  const { bundles } = opened
  const lost = { take: () => '' }
  const now = () => Date.now() + hours * 3_600_000
  await removeAbandoned({ ...stores, bundles, lost, workFolder: folder, retentionDays: undefined, now, log })
  return logged
}

storageTest('a deletion leaves nothing', async () => {
  const { jobId } = await addJob()
  expect(await remove(jobId)).toBe('deleted')
  expect(await listObjects()).toEqual([])
})

storageTest('while the storage is down, nothing is deleted', async () => {
  const { jobId, fileName } = await addJob()
  await s3.stop()
  await expect(remove(jobId)).rejects.toBeInstanceOf(UnavailableError)
  await s3.start()
  expect(await store.exportJobs.find(jobId)).toMatchObject({ status: 'completed' })
  expect(await listObjects()).toEqual([fileName])
})

storageTest('a bundle whose storage fails after its job was deleted is removed a day later', async () => {
  const { jobId, fileName } = await addJob()
  const exportJobs = {
    find: store.exportJobs.find,
    async delete(...given: Parameters<typeof store.exportJobs.delete>) {
      const deleted = await store.exportJobs.delete(...given)
      await s3.stop()
      return deleted
    },
  }
  await expect(remove(jobId, exportJobs)).rejects.toBeInstanceOf(UnavailableError)
  await s3.start()
  expect(await store.exportJobs.find(jobId)).toBeUndefined()
  expect(await removeAfter(23)).toEqual([])
  expect(await listObjects()).toEqual([`removals/${fileName}`, fileName])
  expect(await removeAfter(25)).toEqual([{ removed: 1 }])
  expect(await listObjects()).toEqual([])
})

storageTest('a bundle stays if its job was not deleted after all', async () => {
  const { jobId, fileName } = await addJob()
  await store.exportJobs.noteLink(jobId, Date.now() + 60_000, {
    at: Date.now(),
    action: 'bundle-link.created',
    subject: jobId,
    detail: '',
    actor: 'test',
    address: '127.0.0.1',
    organizationId,
  })
  expect(await remove(jobId)).toBe('linked')
  expect(await listObjects()).toEqual([`removals/${fileName}`, fileName])
  expect(await removeAfter(25)).toEqual([])
  expect(await listObjects()).toEqual([fileName])
})

storageTest(
  'archives of ended jobs that have another bundle are removed, and nothing that the database does not know',
  async () => {
    const { jobId, fileName } = await addJob()
    const foreign = ['se_0123456789abcdef-1.zip', 'notes.txt', 'removals/notes.txt', `lost/${jobId}-2.zip-abc`]
    for (const name of [`${jobId}-2.zip`, `${jobId}-3.tar.gz`, ...foreign]) await put(name)
    expect(await removeAfter(23)).toEqual([])
    expect(await removeAfter(25)).toEqual([{ removed: 2 }])
    expect((await listObjects()).sort()).toEqual([fileName, ...foreign].sort())
  },
)

storageTest(
  'archives are removed also if the key may not list uploads, and the missing right is reported',
  async () => {
    const { jobId, fileName } = await addJob()
    await put(`${jobId}-2.zip`)
    const objects = await openS3Objects(locate())
    const abortUploads = () => Promise.reject(new UnavailableError('storage', 'AccessDenied 403'))
    const lost = { pathOf: (name: string) => name, take: () => '' }
    const bundles = openS3Bundles({ ...objects, abortUploads }, lost)
    const removed = bundles.removeAbandoned?.(Date.now() + 60_000, async name =>
      name === fileName ? 'needed' : 'superseded',
    )
    await expect(removed).rejects.toMatchObject({ code: 'AccessDenied 403' })
    expect(await listObjects()).toEqual([fileName])
    objects.close()
  },
)

storageTest('two servers with data of their own on one prefix do not touch the bundles of each other', async () => {
  const { fileName } = await addJob()
  const other = openStore(join(folder, 'other'))
  expect(await removeAfter(25, other)).toEqual([])
  other.close()
  expect(await listObjects()).toEqual([fileName])
})

storageTest('the list of objects goes over all pages', async () => {
  for (const number of [1, 2, 3, 4, 5]) await put(`page-${number}`)
  const objects = await openS3Objects(locate())
  const list = async (storedBefore: number) => {
    const names: string[] = []
    for await (const name of objects.list('', storedBefore, 2)) names.push(name)
    return names
  }
  expect(await list(Date.now() + 60_000)).toEqual([1, 2, 3, 4, 5].map(number => `page-${number}`))
  expect(await list(Date.now() - 60_000)).toEqual([])
  objects.close()
})

storageTest('an object that is too large for one copy is copied in parts, with its checksum', async () => {
  const content = createRandomBytes('copied', 12 * 1024 ** 2 + 3)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const file = join(folder, 'archive.zip')
  writeFileSync(file, content)
  await opened.bundles.publish(file, { fileName: 'se_1-1.zip', sizeBytes: content.length, sha256 })
  const from = `${prefix}/se_1-1.zip`
  const to = `${prefix}/lost/se_1-1.zip`
  await copyObject(await loadSdk(), s3.client, { Bucket, from, to }, 5 * 1024 ** 2)
  const { Metadata } = await s3.client.send(new HeadObjectCommand({ Bucket, Key: to }))
  expect(Metadata).toEqual({ sha256 })
  const objects = await openS3Objects(locate())
  expect((await buffer(await objects.read('lost/se_1-1.zip'))).equals(content)).toBe(true)
  objects.close()
  const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix }))
  expect(Uploads).toEqual([])
})
