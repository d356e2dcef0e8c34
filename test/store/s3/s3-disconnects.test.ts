import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { send } from '../../support/client.ts'
import { addCompletedJob } from '../../support/completed-job.ts'
import { waitFor } from '../../support/export-site.ts'
import { type Gate, startGate } from '../../support/gate.ts'
import { createS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../../support/server.ts'

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of clients that leave bundles in S3 are skipped: ${reason}`)

const storageTest = test.skipIf(reason !== undefined)

const megabyte = 1024 ** 2
const sizeBytes = 64 * megabyte
let s3: Awaited<ReturnType<typeof createS3Bucket>>
let gate: Gate
let server: TestServer
let link: string

beforeAll(async () => {
  if (reason !== undefined) return
  s3 = await createS3Bucket('quire-disconnects')
  gate = await startGate(s3.endpoint)
  const location = parseS3Location(`s3://quire-disconnects?endpoint=${gate.url}`)
  server = await startTestServer({ bundles: location })
  const { organizationId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  const content = 'quire\n\n\n'.repeat(sizeBytes / 8)
  const { jobId } = await addCompletedJob(server.store, server.dataFolder, organizationId, undefined, content)
  const archive = join(server.dataFolder, 'archive.zip')
  writeFileSync(archive, content)
  const { bundles, stop } = await openBundles({ dataFolder: server.dataFolder, location })
  const sha256 = createHash('sha256').update(content).digest('hex')
  await bundles.publish(archive, { fileName: `${jobId}-1.zip`, sizeBytes, sha256 })
  await stop()
  const headers = { Authorization: `Bearer ${key}` }
  const { json } = await send(server.url, `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers })
  link = String(json.bundleUrl)
})
afterAll(async () => {
  await server?.dispose()
  await gate?.close()
  await s3?.dispose()
})

/** Starts a download. Returns its answer, of which nothing was read. */
function begin(): Promise<IncomingMessage> {
  return new Promise((done, failed) => get(link, { agent: false }, done).on('error', failed))
}

/** Waits until the storage sends nothing more. Returns the bytes that it sent since `before`. */
function waitUntilQuiet(before: number): Promise<number> {
  return waitFor(async () => {
    const now = gate.answeredBytes()
    await new Promise(done => setTimeout(done, 500))
    return now > before && gate.answeredBytes() === now ? now - before : undefined
  })
}

storageTest('the server reads no more than its client, and ends the request to S3 when the client leaves', async () => {
  const before = gate.answeredBytes()
  const answer = await begin()
  expect(answer.statusCode).toBe(200)
  // What fits into the buffers of the sockets.
  expect(await waitUntilQuiet(before)).toBeLessThan(sizeBytes / 2)
  const connections = gate.connections()
  answer.destroy()
  await waitFor(async () => (gate.connections() < connections ? true : undefined))
  expect(gate.answeredBytes() - before).toBeLessThan(sizeBytes / 2)
})

storageTest('clients that leave before or in their answer leave no request to S3, and others get theirs', async () => {
  const before = gate.answeredBytes()
  const left = Array.from({ length: 20 }, (_, i) => {
    const request = get(link, { agent: false }).on('error', () => {})
    return new Promise<void>(done =>
      setTimeout(() => {
        request.destroy()
        done()
      }, i * 10),
    )
  })
  await Promise.all(left)
  expect(await waitUntilQuiet(before)).toBeLessThan((left.length * sizeBytes) / 2)
  let bytes = 0
  for await (const part of await begin()) bytes += part.length
  expect(bytes).toBe(sizeBytes)
})
