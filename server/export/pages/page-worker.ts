import { parentPort, workerData } from 'node:worker_threads'
import type { PageWorkSetup, WorkerRequest } from './page-tasks.ts'
import { createPageWork } from './page-work.ts'

const work = createPageWork(workerData as PageWorkSetup)

parentPort?.on('message', (request: WorkerRequest) => {
  if ('beginWriting' in request) return work.beginWriting(request.beginWriting)
  const { id } = request
  try {
    parentPort?.postMessage({ id, value: answer(request) })
  } catch (error) {
    // An error that is sent to another thread keeps only its message, so the code is sent separately.
    parentPort?.postMessage({ id, error, code: (error as NodeJS.ErrnoException).code })
  }
})

function answer(request: Exclude<WorkerRequest, { beginWriting: unknown }>) {
  if ('read' in request) return work.read(request.read)
  return 'write' in request ? work.write(request.write) : work.twin(request.twin)
}
