// Delivers the events of a data folder until it is killed, and ends jobs meanwhile: `node deliver-process.ts FOLDER RUN
// [DATABASE]`. Writes a line for each
// event that is safely stored.
import { openPostgres } from '../../server/store/open-postgres.ts'
import { openServingStore } from '../../server/store/serving-store.ts'
import { openSecretBox } from '../../server/store/webhook-keys.ts'
import { parseAllowedPrivate } from '../../server/webhooks/allowed-private.ts'
import { startDeliverer } from '../../server/webhooks/deliverer.ts'

const [folder = '', run, database] = process.argv.slice(2)
const store = database ? await openPostgres(database, { dataFolder: folder }) : openServingStore(folder)
startDeliverer({
  ...store,
  secrets: openSecretBox(folder, undefined),
  allowed: parseAllowedPrivate('127.0.0.0/8') ?? { names: [], ranges: [] },
  timeoutMs: 1000,
  leaseMs: 1200,
  now: Date.now,
  random: Math.random,
  log: { info() {}, warn() {}, error: details => console.error(details) },
})

for (let i = 0; ; i += 1) {
  const id = `aj_${run}_${i}`
  const job = {
    projectId: 'prj_1',
    id,
    status: 'active' as const,
    source: { repository: 'https://git.example.com/acme/docs', ref: null },
    model: 'writer-2',
    prLink: null,
    createdAt: Date.now(),
    archivedAt: null,
  }
  await store.agentJobs.insert(job)
  await store.agentJobs.update({ ...job, status: 'completed' }, 'active')
  console.log(`${id} completed`)
  await store.agentJobs.update({ ...job, status: 'archived', archivedAt: Date.now() }, 'completed')
  console.log(`${id} archived`)
  await new Promise(done => setTimeout(done, 10))
}
