import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../server/store/postgres/store.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { runQuire } from '../support/process.ts'
import { createOrganization } from '../support/server.ts'

let folder: string
let keyFile: string
beforeEach(context => {
  folder = mkdtempSync(join(tmpdir(), 'quire-links-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  keyFile = join(folder, 'link.key')
})

/** Gives the data folder a link key. */
function writeKey(): Buffer {
  const key = Buffer.alloc(32, 7)
  writeFileSync(keyFile, key)
  return key
}

const linkEndsAt = Math.ceil(Date.now() / 1000 + 3600) * 1000
const linkEnd = new Date(linkEndsAt).toISOString()

/** Adds a completed job with a link that works. */
async function addLinkedJob(store: Store): Promise<string> {
  const { organizationId } = await createOrganization(store)
  const { jobId } = await addCompletedJob(store, folder, organizationId)
  await store.exportJobs.noteLink(jobId, linkEndsAt)
  return jobId
}

const isLinked = async (store: Store, jobId: string) =>
  (await store.exportJobs.delete(jobId, Date.now(), false)) === 'linked'

test.each<[string[], string, boolean]>([
  [[], 'All links are void. 1 export had links that worked.\n', false],
  [
    ['--bundles', 's3://bucket'],
    `All links to Quire are void. 1 export had links that worked. Links that lead to S3 (--bundle-links presigned) work until they expire, by ${linkEnd}.\n`,
    true,
  ],
])('links revoke %j says which links are void, and keeps the exports of those that work', async (flags, text, kept) => {
  const store = openStore(folder)
  const jobId = await addLinkedJob(store)
  const key = writeKey()
  const { code, stdout, stderr } = await runQuire(['links', 'revoke', '--data', folder, ...flags])
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: text, stderr: '' })
  expect(readFileSync(keyFile).equals(key)).toBe(false)
  expect(await isLinked(store, jobId)).toBe(kept)
  store.close()
})

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''

describe.skipIf('missing' in found)(`on PostgreSQL${skipped}`, () => {
  let database: TestDatabase
  let store: PostgresStore
  beforeAll(async () => {
    database = await createTestDatabase((found as { url: string }).url)
    store = await openPostgresStore(database.url)
  })
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })

  test('the key of a data folder stays if the servers share another one', async () => {
    const jobId = await addLinkedJob(store)
    await store.linkKey.agree([Buffer.alloc(32, 1)])
    const key = writeKey()
    const run = (name: string, ...flags: string[]) =>
      runQuire(['links', name, '--data', folder, '--database', database.url, ...flags])

    const rotated = await run('rotate')
    expect({ code: rotated.code, stdout: rotated.stdout }).toEqual({ code: 2, stdout: '' })
    expect(rotated.stderr).toContain('share a --link-key-file')
    const revoked = await run('revoke', '--json')
    expect({ code: revoked.code, stderr: revoked.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(revoked.stdout)).toEqual({
      jobsWithLinks: 1,
      needsNewKeyFile: true,
      presignedLinksEndAt: linkEnd,
    })
    expect((await run('revoke')).stdout).toMatch(
      /^Now give all servers a --link-key-file with only a new key, and restart/,
    )
    expect(readFileSync(keyFile).equals(key)).toBe(true)
    expect(await isLinked(store, jobId)).toBe(true)
    // A server with a new file can start.
    expect(await store.linkKey.agree([Buffer.alloc(32, 2)])).toBe(true)
  })
})
