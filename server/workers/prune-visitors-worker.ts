import { parentPort, workerData } from 'node:worker_threads'
import { openVisitFiles } from '../store/visits/visits.ts'
import type { PruneReport, PruneSetup } from './prune-visitors.ts'

const { dataFolder, projects, before, keys } = workerData as PruneSetup

const visits = openVisitFiles(dataFolder)
const failures: unknown[] = []
try {
  for (const project of projects) {
    // Visits that cannot be used must not keep those of other projects.
    try {
      prune(project)
    } catch (error) {
      failures.push(error)
    }
  }
} finally {
  visits.close()
}
if (failures.length > 0) throw failures[0]

function prune(project: PruneSetup['projects'][number]): void {
  const destroyed = visits.destroyKeys(project, keys)
  const pruned = before === undefined ? 0 : visits.pruneSeen(project.id, before)
  const visitorDays = destroyed.visitorDays + pruned
  const report: PruneReport = { projectId: project.id, keys: destroyed.keys, visitorDays }
  if (report.keys > 0 || visitorDays > 0) parentPort?.postMessage(report)
}
