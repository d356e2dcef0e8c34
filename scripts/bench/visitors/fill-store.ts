// Records the visits of a plan in a store and prints the CPU time of recording, without generating.
import { openStore } from '../../../server/store/store.ts'
import { readSettings } from '../measured-script.ts'
import { createPaths } from './pages.ts'
import type { TrafficPlan } from './traffic.ts'
import { makeViewBatches } from './visit-batches.ts'

export interface FillSettings {
  data: string
  projectId: string
  plan: TrafficPlan
}

const viewsPerBatch = 100_000

const { data, projectId, plan } = readSettings<FillSettings>()
const store = openStore(data)
await store.visits.openVisitorKey()
let cpuMicroseconds = 0
for (const batch of makeViewBatches(plan, createPaths(plan.pages), viewsPerBatch)) {
  const before = process.cpuUsage()
  await store.visits.recordBatch(projectId, batch)
  const { user, system } = process.cpuUsage(before)
  cpuMicroseconds += user + system
}
const before = process.cpuUsage()
store.close()
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ cpuSeconds: (cpuMicroseconds + user + system) / 1e6 }))
