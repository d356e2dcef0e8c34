import { parentPort, workerData } from 'node:worker_threads'
import { openVisitFiles } from '../store/visits/visits.ts'
import type { PruneReport, PruneSetup } from './prune-visitors.ts'

const { dataFolder, projectIds, before } = workerData as PruneSetup

const visits = openVisitFiles(dataFolder)
try {
  for (const projectId of projectIds) {
    const visitorDays = visits.pruneSeen(projectId, before)
    const report: PruneReport = { projectId, visitorDays }
    if (visitorDays > 0) parentPort?.postMessage(report)
  }
} finally {
  visits.close()
}
