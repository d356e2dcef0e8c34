import type { QuireClient } from '../../../generated/client.ts'
import { getData } from './get-data.ts'
import type { Data } from './method.ts'
import { sleep } from './retry.ts'

export interface WaitOptions {
  /** Ends the wait; the iterator then throws the reason of the signal. */
  signal?: AbortSignal | undefined
  /** The wait after the first answer. Each further wait is half as long again. Default: 1 second. */
  firstWaitMs?: number
  /** The longest wait between two requests. Default: 10 seconds. */
  maxWaitMs?: number
}

/**
 * Polls an export job until it is completed or failed. Yields the job at first and whenever it has changed; the last one is
 * completed or failed.
 *
 * @throws {QuireError} if the server refuses, such as a 404, or is away for five attempts
 */
export function waitForExport(
  client: Pick<QuireClient, 'getStaticExportJob'>,
  jobId: string,
  options: WaitOptions = {},
): AsyncGenerator<Data<'getStaticExportJob'>, void, undefined> {
  const { signal } = options
  const send = () => client.getStaticExportJob({ params: { path: { jobId } }, signal })
  const read = () => getData('getStaticExportJob', { send, isWhole: hasStatus, signal })
  return poll(read, ({ status }) => status === 'completed' || status === 'failed', options)
}

/**
 * Polls an agent job until it is no longer active. Yields the job at first and whenever it has changed; the last one is
 * completed, failed or archived.
 *
 * @throws {QuireError} if the server refuses, such as a 404, or is away for five attempts
 */
export function waitForAgentJob(
  client: Pick<QuireClient, 'getAgentJob'>,
  path: { projectId: string; id: string },
  options: WaitOptions = {},
): AsyncGenerator<Data<'getAgentJob'>, void, undefined> {
  const { signal } = options
  const send = () => client.getAgentJob({ params: { path }, signal })
  const read = () => getData('getAgentJob', { send, isWhole: hasStatus, signal })
  return poll(read, ({ status }) => status !== 'active', options)
}

/** A job without a status would never be done. */
function hasStatus({ status }: { status: unknown }): boolean {
  return typeof status === 'string'
}

async function* poll<Job>(
  read: () => Promise<Job>,
  isDone: (job: Job) => boolean,
  { signal, firstWaitMs = 1000, maxWaitMs = 10_000 }: WaitOptions,
): AsyncGenerator<Job, void, undefined> {
  let shown = ''
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, maxWaitMs)) {
    signal?.throwIfAborted()
    const job = await read()
    const text = JSON.stringify(job)
    if (text !== shown) yield job
    if (isDone(job)) return
    shown = text
    await sleep(Math.min(waitMs, maxWaitMs), signal)
  }
}
