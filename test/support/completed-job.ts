import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../server/store/store.ts'
import { createId } from '../../server/tenancy/id.ts'
import { queuedJob } from './export-job.ts'

export interface CompletedJob {
  jobId: string
  /** Path of its bundle. */
  file: string
  content: string
}

/** Adds a completed job to a store without queued jobs, and its bundle to the data folder. */
export async function addCompletedJob(
  store: Store,
  dataFolder: string,
  organizationId: string,
  nameOf = (jobId: string) => `${jobId}-1.zip`,
  given?: string | Buffer,
): Promise<CompletedJob> {
  const job = queuedJob({ jobId: createId('se'), organizationId, createdAt: Date.now() })
  // At once, because a server of the test looks for jobs too.
  const claimed = await store.atomically(function* ({ exportJobs }) {
    yield* exportJobs.start(job, undefined, 0)
    return yield* exportJobs.claim('test', Date.now(), 60_000)
  })
  if (claimed?.job.jobId !== job.jobId) throw new Error('another job was claimed')
  const fileName = nameOf(job.jobId)
  const content = given ?? `the bundle of ${job.jobId}`
  const file = join(dataFolder, 'bundles', fileName)
  mkdirSync(join(dataFolder, 'bundles'), { recursive: true })
  writeFileSync(file, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  await store.exportJobs.complete(claimed.lease, { fileName, sizeBytes: content.length, sha256 }, 1, Date.now())
  return { jobId: job.jobId, file, content: String(content) }
}
