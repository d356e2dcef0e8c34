import { parentPort, workerData } from 'node:worker_threads'
import { toDay } from '../analytics/day.ts'
import { openStore } from '../store/store.ts'
import type { RetentionNews, RetentionSetup } from './prune-visitors.ts'

const { dataFolder, retentionDays } = workerData as RetentionSetup

const store = openStore(dataFolder)
try {
  for (const { id } of await store.projects.list()) {
    const visitorDays = await store.visits.pruneSeen(id, toDay(Date.now()) - retentionDays)
    const news: RetentionNews = { projectId: id, visitorDays }
    if (visitorDays > 0) parentPort?.postMessage(news)
  }
} finally {
  store.close()
}
