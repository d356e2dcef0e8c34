import { parentPort, workerData } from 'node:worker_threads'
import { createPageWork, type PageWorkSetup, type ReadTask, type WriteSetup, type WriteTask } from './page-work.ts'

/** What a thread is asked for. */
export type WorkerRequest =
  | { id: number; read: ReadTask }
  | { id: number; write: WriteTask }
  | { beginWriting: WriteSetup }

/** What it answers. */
export type WorkerAnswer = { id: number; value: unknown } | { id: number; error: Error; code: string | undefined }

const work = createPageWork(workerData as PageWorkSetup)

parentPort?.on('message', (request: WorkerRequest) => {
  if ('beginWriting' in request) return work.beginWriting(request.beginWriting)
  const { id } = request
  try {
    parentPort?.postMessage({ id, value: 'read' in request ? work.read(request.read) : work.write(request.write) })
  } catch (error) {
    // An error on its way to another thread loses everything but its message.
    parentPort?.postMessage({ id, error, code: (error as NodeJS.ErrnoException).code })
  }
})
