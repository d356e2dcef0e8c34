import { parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../store/store.ts'
import type { CountsAnswer, CountsQuestion, CountsSetup } from './count-visitors.ts'

const { dataFolder } = workerData as CountsSetup

const store = openStore(dataFolder)
parentPort?.on('message', async (question: CountsQuestion) => {
  parentPort?.postMessage(await answer(question))
})

async function answer({ number, projectId, range, page }: CountsQuestion): Promise<CountsAnswer> {
  try {
    return { number, visitors: await store.visits.countUniqueVisitors(projectId, range, page) }
  } catch (error) {
    return { number, error: toPlain(error as Error) }
  }
}

/** Errors of SQLite are none that a message carries whole. */
function toPlain({ message, stack }: Error): Error {
  return Object.assign(new Error(message), { stack })
}
