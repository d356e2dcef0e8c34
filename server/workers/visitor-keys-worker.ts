import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { connect } from '../store/postgres/database.ts'
import { takePeriodKey } from '../store/postgres/visits/period-keys.ts'
import type { KeyAnswer, KeyQuestion, KeyThreadSetup } from '../store/postgres/visits/visitor-key-thread.ts'

const { database: url, state } = workerData as KeyThreadSetup

const database = connect(url)
parentPort?.once('message', (port: MessagePort) => {
  port.on('message', async ({ projectId, period, now }: KeyQuestion) => {
    const answer: KeyAnswer = await takePeriodKey(database, projectId, period, now).then(
      key => ({ key }),
      // Copied, because a message cannot contain every error.
      ({ message, stack }: Error) => ({ error: Object.assign(new Error(message), { stack }) }),
    )
    port.postMessage(answer)
    Atomics.store(state, 0, 1)
    Atomics.notify(state, 0)
  })
})
