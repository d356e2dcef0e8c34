import { parentPort, workerData } from 'node:worker_threads'
import { openVisitFiles } from '../store/visits/visits.ts'
import { pruneProjects } from './prune-projects.ts'
import type { PruneSetup } from './prune-visitors.ts'

const { dataFolder, ...task } = workerData as PruneSetup

const visits = openVisitFiles(dataFolder)
// Without an await at the top, because the single binary runs threads as CommonJS. A rejection ends the thread.
void pruneProjects(visits, task, report => parentPort?.postMessage(report)).finally(() => visits.close())
