import { parentPort, workerData } from 'node:worker_threads'
import { openVisitFiles } from '../store/visits/visits.ts'
import type { CountsAnswer, CountsQuestion, CountsSetup } from './count-visitors.ts'

const { dataFolder } = workerData as CountsSetup

const visits = openVisitFiles(dataFolder)
parentPort?.on('message', (question: CountsQuestion) => parentPort?.postMessage(answer(question)))

function answer({ number, projectId, range, page }: CountsQuestion): CountsAnswer {
  try {
    return { number, visitors: visits.countUniqueVisitors(projectId, range, page) }
  } catch (error) {
    return { number, error: toPlain(error as Error) }
  }
}

/** Copies the error, because messages between threads cannot contain SQLite's errors. */
function toPlain({ message, stack }: Error): Error {
  return Object.assign(new Error(message), { stack })
}
