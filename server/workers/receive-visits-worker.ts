import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { DeliveryRefusedError, type SentDelivery } from '../analytics/import/delivery.ts'
import { DeliveryCounter } from '../analytics/import/receive-visits.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { isDiskFull } from '../base/disk-full.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import { openPostgres } from '../store/open-postgres.ts'
import { openStore, type Store } from '../store/store.ts'
import { explainSqliteError } from '../store/write-queue.ts'
import type { ReceiveAnswer, ReceiveFault, ReceiveQuestion, ReceiveSetup } from './receive-visits.ts'

/** 0 = like other threads, 19 = what they leave. */
const niceness = 5
/** How long a delivery waits for an import into the same project. Deliveries of all other projects wait too, and senders try again. */
const patienceMs = 1000

yieldToRequests()

const { dataFolder, database, visitorKeyFile, node, maxUnpackedBytes } = workerData as ReceiveSetup
let opened: { store: Store; counter: DeliveryCounter } | undefined

parentPort?.on('message', async (questions: ReceiveQuestion[] | 'stop') => {
  if (questions === 'stop') {
    await opened?.store.close()
    parentPort?.close()
    return
  }
  try {
    opened ??= await open()
    const results = await opened.counter.countAll(questions.map(toSent))
    tell(results.map(result => (result.status === 'fulfilled' ? { value: result.value } : describe(result.reason))))
  } catch (error) {
    tell(questions.map(() => describe(error as Error)))
  }
})

function toSent({ delivery, pieces }: ReceiveQuestion): SentDelivery {
  return { delivery, pieces: pieces.map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length)) }
}

/** Gives this thread less of the processor than the thread that answers requests. Only Linux has a priority for each thread. */
function yieldToRequests(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness)
  } catch {
    // Then it competes with requests.
  }
}

async function open() {
  const store =
    database === undefined
      ? openStore(dataFolder, { lockPatienceMs: patienceMs, visitsPatienceMs: patienceMs })
      : await openPostgres(database, { dataFolder, visitorKeyFile, node })
  return { store, counter: new DeliveryCounter({ store, maxBytes: maxUnpackedBytes }) }
}

/** Copies the error, because messages between threads cannot contain every error. */
function describe(thrown: Error): { error: Error; fault: ReceiveFault } {
  const error = explainSqliteError(thrown) as Error
  return { error: Object.assign(new Error(error.message), { stack: error.stack }), fault: findFault(error) }
}

function findFault(error: Error): ReceiveFault {
  if (error instanceof DeliveryRefusedError) return { refusal: error.refusal }
  if (error instanceof UnavailableError) return { reason: error.reason, code: error.code }
  if (isDiskFull(error)) return { reason: 'full', code: String((error as NodeJS.ErrnoException).code) }
  return error instanceof UnusableVisitsError ? 'unusable' : null
}

function tell(answers: ReceiveAnswer[]): void {
  parentPort?.postMessage(answers)
}
