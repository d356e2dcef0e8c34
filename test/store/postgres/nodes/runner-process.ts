// A runner of exports as a process: `node runner-process.ts URL NAME CLOCK-SHIFT-MS FOLDER`. It never gives up a job by itself, so only
// the lease decides who completes it.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClaimedJob } from '../../../../server/export/jobs/export-job.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import { createRandomBytes } from '../../../support/random.ts'
import { leaseMs, workMs } from './settings.ts'
import { shiftClock } from './shift-clock.ts'

const [url = '', name = '', shiftMs = '0', folder = ''] = process.argv.slice(2)
const steps = 4
const store = await openPostgresStore(url)
shiftClock(Number(shiftMs))

async function work({ lease }: ClaimedJob): Promise<boolean> {
  const { jobId, token } = lease
  for (let step = 1; step <= steps; step += 1) {
    await pause(workMs / steps)
    await store.exportJobs.heartbeat(lease, Date.now(), leaseMs)
    await store.exportJobs.report(lease, step * 20, step, Date.now())
  }
  const bytes = createRandomBytes(`${jobId} ${token} ${process.pid}`, 20_000)
  const bundle = { fileName: `${jobId}-${token}.zip`, sizeBytes: bytes.length }
  writeFileSync(join(folder, bundle.fileName), bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return store.exportJobs.complete(lease, { ...bundle, sha256 }, steps, Date.now())
}

for (;;) {
  const claimed = await store.exportJobs.claim(name, Date.now(), leaseMs)
  if (!claimed) {
    await pause(50)
    continue
  }
  const { jobId, token } = claimed.lease
  console.log(`claimed ${jobId} ${token}`)
  console.log(`${(await work(claimed)) ? 'completed' : 'refused'} ${jobId} ${token}`)
}
