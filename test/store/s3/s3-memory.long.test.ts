import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../server/store/store.ts'
import { send } from '../../support/client.ts'
import { addCompletedJob } from '../../support/completed-job.ts'
import { readPeak, resetPeak } from '../../support/peak-memory.ts'
import { startServe } from '../../support/process.ts'
import { runProgram } from '../../support/program.ts'
import { createRandomBytes } from '../../support/random.ts'
import { createS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import { createApiKey, createOrganization } from '../../support/server.ts'

const reason = existsSync('/proc/self/clear_refs') ? whyNoS3Server() : 'needs Linux'
if (reason !== undefined) console.log(`The memory for bundles in S3 is not measured: ${reason}`)

const storageTest = test.skipIf(reason !== undefined)

const megabyte = 1024 ** 2
// 17 to 20 on a quiet machine, up to 55 beside other work; without streaming it would be 1,024.
const maxMoreMegabytes = 100
let s3: Awaited<ReturnType<typeof createS3Bucket>>
let folder: string
let address: string

beforeAll(async () => {
  if (reason !== undefined) return
  s3 = await createS3Bucket('quire-memory')
  folder = mkdtempSync(join(tmpdir(), 'quire-s3-memory-'))
  address = `s3://quire-memory/m?endpoint=${s3.endpoint}`
  await writeArchive('small.zip', 1)
  await writeArchive('large.zip', 1024)
})
afterAll(async () => {
  await s3?.dispose()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

async function writeArchive(name: string, megabytes: number): Promise<void> {
  const file = await open(join(folder, name), 'w')
  const part = createRandomBytes(name, megabyte)
  for (let i = 0; i < megabytes; i += 1) {
    part.writeUInt32BE(i)
    await file.write(part)
  }
  await file.close()
}

storageTest('an archive of 1 GB is uploaded and downloaded with less than 100 MB more memory than before', async () => {
  const data = join(folder, 'data')
  const store = openStore(data)
  const { organizationId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  const { jobId } = await addCompletedJob(store, data, organizationId)
  const script = join(import.meta.dirname, 'upload-archive.ts')
  const uploaded = await runProgram([script, address, join(folder, 'small.zip'), join(folder, 'large.zip'), jobId])
  expect(uploaded).toMatchObject({ code: 0, stderr: '' })
  const { bundle, moreMegabytes } = JSON.parse(uploaded.stdout)

  // The job gets the archive that was uploaded.
  const database = new Database(join(data, 'quire.db'))
  const { sizeBytes, sha256 } = bundle
  database
    .prepare('UPDATE export_jobs SET bundle_size_bytes = ?, bundle_sha256 = ? WHERE job_id = ?')
    .run(sizeBytes, sha256, jobId)
  database.close()
  const server = await startServe(['--data', data, '--bundles', address])
  const headers = { Authorization: `Bearer ${key}` }
  const { json } = await send(server.url, `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers })
  const pid = server.child.pid as number
  const idle = readPeak(pid).now
  resetPeak(pid)
  expect(await download(String(json.bundleUrl))).toEqual(bundle.sha256)
  const moreForDownload = readPeak(pid).peak - idle
  console.log(
    `1 GB: ${Math.round(moreMegabytes)} MB more to upload, ${Math.round(moreForDownload)} MB more to download`,
  )
  expect(moreMegabytes).toBeLessThan(maxMoreMegabytes)
  expect(moreForDownload).toBeLessThan(maxMoreMegabytes)
  await server.end('SIGTERM')
  store.close()
})

/** Returns the SHA-256 of what a link answers. */
async function download(url: string): Promise<string> {
  const answer = await new Promise<IncomingMessage>((done, failed) =>
    get(url, { agent: false }, done).on('error', failed),
  )
  const hash = createHash('sha256')
  await pipeline(answer, hash)
  return hash.digest('hex')
}
