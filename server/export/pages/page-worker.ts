import { parentPort, workerData } from 'node:worker_threads'
import type { PageWorkSetup, WorkerRequest } from './page-tasks.ts'
import { createPageWork } from './page-work.ts'

const work = createPageWork(workerData as PageWorkSetup)

parentPort?.on('message', (request: WorkerRequest) => {
  if ('beginWriting' in request) return work.beginWriting(request.beginWriting)
  const { id } = request
  try {
    parentPort?.postMessage({ id, value: 'read' in request ? work.read(request.read) : work.write(request.write) })
  } catch (error) {
    // An error that is sent to another thread keeps only its message, so the code is sent separately.
    parentPort?.postMessage({ id, error, code: (error as NodeJS.ErrnoException).code })
  }
})
