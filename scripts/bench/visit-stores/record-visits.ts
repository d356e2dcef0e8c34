// Records the visits of a plan in a store, and prints the time of recording, without generating, and the answers.
import { openPostgres } from '../../../server/store/open-postgres.ts'
import { openStore } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { readSettings } from '../measured-script.ts'
import { createPaths } from '../visitors/pages.ts'
import { endDay, firstDay } from '../visitors/plan.ts'
import { makeViewBatches } from '../visitors/visit-batches.ts'

export interface RecordSettings {
  dataFolder: string
  /** The address of a PostgreSQL; null = SQLite. */
  database: string | null
  visits: number
  pages: number
  seed: number
  viewsPerBatch: number
}

export interface Recorded {
  /** Without generating the views. */
  seconds: number
  /** CPU time of this process in it. */
  cpuSeconds: number
  answers: unknown[]
}

const ranges = [
  {},
  { dateFrom: firstDay + 40, dateTo: firstDay + 170 },
  { dateFrom: endDay - 7 },
  { dateTo: firstDay + 3 },
]

const { dataFolder, database, viewsPerBatch, visits, ...plan } = readSettings<RecordSettings>()
const store = database === null ? openStore(dataFolder) : await openPostgres(database, { dataFolder })
const [organizationId, projectId] = [createId('org'), createId('prj')]
await store.organizations.insert({ id: organizationId, name: organizationId, plan: 'standard', createdAt: 0 })
const project = {
  id: projectId,
  organizationId,
  name: '',
  visitorSaltRotation: 'never',
  visitorRules: 2,
  createdAt: 0,
} as const
await store.projects.insert(project)
let [seconds, cpuSeconds] = [0, 0]
const traffic = { ...plan, requests: visits, from: firstDay, to: endDay, viewsOnly: true }
for (const batch of makeViewBatches(traffic, createPaths(plan.pages), viewsPerBatch)) {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await store.visits.recordBatch(projectId, batch)
  const { user, system } = process.cpuUsage(before)
  seconds += (performance.now() - startedAt) / 1000
  cpuSeconds += (user + system) / 1e6
}
const answers: unknown[] = []
for (const range of ranges) {
  answers.push(await store.visits.countUniqueVisitors(projectId, range, { limit: 250, offset: 0 }))
}
await store.visits.deleteFile(projectId)
await store.close()
console.log(JSON.stringify({ seconds, cpuSeconds, answers } satisfies Recorded))
