import { parentPort, workerData } from 'node:worker_threads'
import { type PrunedVisits, pruneProjects } from './prune-projects.ts'
import type { PruneSetup } from './prune-visitors.ts'

const { dataFolder, database, ...task } = workerData as PruneSetup

// Without an await at the top, because the single binary runs threads as CommonJS. A rejection ends the thread.
void prune()

async function prune(): Promise<void> {
  const visits = await openVisits()
  await pruneProjects(visits, task, report => parentPort?.postMessage(report)).finally(() => visits.close())
}

/** Loads only the store that is used. */
async function openVisits(): Promise<PrunedVisits & { close(): unknown }> {
  if (database === undefined) return (await import('../store/visits/visits.ts')).openVisitFiles(dataFolder)
  return (await import('../store/postgres/visits/open-pruned-visits.ts')).openPrunedVisits(database)
}
