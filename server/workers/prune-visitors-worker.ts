import { parentPort, workerData } from 'node:worker_threads'
import { openVisitFiles } from '../store/visits/visits.ts'
import type { PruneReport, PruneSetup } from './prune-visitors.ts'

const { dataFolder, projects, before, keys } = workerData as PruneSetup

const visits = openVisitFiles(dataFolder)
try {
  for (const project of projects) {
    const destroyed = visits.destroyKeys(project, keys)
    const pruned = before === undefined ? 0 : visits.pruneSeen(project.id, before)
    const visitorDays = destroyed.visitorDays + pruned
    const report: PruneReport = { projectId: project.id, keys: destroyed.keys, visitorDays }
    if (report.keys > 0 || visitorDays > 0) parentPort?.postMessage(report)
  }
} finally {
  visits.close()
}
