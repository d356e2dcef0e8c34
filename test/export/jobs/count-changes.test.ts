import { expect, test } from 'vitest'
import { type CompareBundles, countChanges } from '../../../server/export/jobs/count-changes.ts'
import type { ExportJob } from '../../../server/export/jobs/export-job.ts'
import { queuedJob } from '../../support/export-job.ts'

const bundleOf = (name: string) => ({ fileName: `${name}.zip`, sizeBytes: 1, sha256: name })
const jobOf = (jobId: string, paths: string[] | null = null): ExportJob => ({
  ...queuedJob({ jobId, organizationId: 'org_a', createdAt: 1, request: { paths } }),
  bundle: bundleOf(jobId),
})
const counts = { added: 1, removed: 2, moved: 3, changed: 4 }
const changed = { counts: { ...counts, unchanged: 5 }, added: [], removed: [], moved: [], changed: [] }

const quiet = { warn: () => {} }

async function count({
  earlier = jobOf('one') as ExportJob | null,
  paths = null as string[] | null,
  sha256 = 'new',
  compareBundles = async (_before: unknown) => changed as Awaited<ReturnType<CompareBundles>>,
  signal = new AbortController().signal,
}) {
  const compared: unknown[] = []
  const asked: unknown[] = []
  const findLastCompleted = async (organizationId: string, request: ExportJob['request']) => {
    asked.push(organizationId, request.domain, request.paths)
    return earlier ?? undefined
  }
  const compare: CompareBundles = (before, after) => {
    compared.push(before.fileName, after.fileName)
    return compareBundles(before)
  }
  const deps = { exportJobs: { findLastCompleted }, compareBundles: compare, log: quiet }
  const changes = await countChanges(deps, jobOf('new', paths), { ...bundleOf('new'), sha256 }, signal)
  return { changes, compared, asked }
}

test('an export is compared with the newest completed one of the same paths', async () => {
  const { domain } = jobOf('new').request
  const whole = ['org_a', domain, null]
  expect(await count({})).toEqual({ changes: counts, compared: ['one.zip', 'new.zip'], asked: whole })
  expect((await count({ paths: ['/a', '/b'] })).asked).toEqual(['org_a', domain, ['/a', '/b']])
})

test('the same archive is not compared, because nothing changed', async () => {
  const same = { added: 0, removed: 0, moved: 0, changed: 0 }
  expect(await count({ sha256: 'one' })).toMatchObject({ changes: same, compared: [] })
})

test('nothing is counted for a first export, without a comparison, and when it fails', async () => {
  expect((await count({ earlier: null })).changes).toBeNull()
  expect((await count({ compareBundles: async () => 'failed' })).changes).toBeNull()
  const exportJobs = { findLastCompleted: async () => jobOf('one') }
  expect(
    await countChanges({ exportJobs, log: quiet }, jobOf('new'), bundleOf('new'), new AbortController().signal),
  ).toBeNull()
})

test('a comparison or a database that fails does not fail the export', async () => {
  const compareBundles = async () => Promise.reject(new Error('broken'))
  expect((await count({ compareBundles })).changes).toBeNull()
})

test('the end of the lease or of the server ends the wait', async () => {
  const compareBundles = () => new Promise<never>(() => {})
  const signal = AbortSignal.timeout(50)
  await expect(count({ compareBundles, signal })).rejects.toMatchObject({ name: 'TimeoutError' })
})
