import type { QuireClient } from '../../../generated/client.ts'
import { type AnyAnswer, getData } from './get-data.ts'
import type { Data, DataOf } from './method.ts'
import { sleep } from './retry.ts'

export interface WaitOptions {
  /** Ends the wait; the iterator then throws the reason of the signal. */
  signal?: AbortSignal | undefined
  /** The pause after the first answer. Each further one is half as long again. Default: 1 second. */
  firstWaitMs?: number
  /** The longest pause between two requests. A server may hold an answer meanwhile instead. Default: 10 seconds. */
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
  const polled = {
    send: (sent: Sent) => client.getStaticExportJob({ params: { path: { jobId } }, ...sent }),
    isDone: ({ status }: { status: string }) => status === 'completed' || status === 'failed',
    // The server does not answer earlier because of progress, so it may hold an answer only as long as the pause would be.
    chooseHoldMs: (pauseMs: number) => pauseMs,
  }
  return poll('getStaticExportJob', polled, options)
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
  const polled = {
    send: (sent: Sent) => client.getAgentJob({ params: { path }, ...sent }),
    isDone: ({ status }: { status: string }) => status !== 'active',
    // Less than the 30 seconds after which the client and many proxies give up an answer.
    chooseHoldMs: () => 20_000,
  }
  return poll('getAgentJob', polled, options)
}

/** A job without a status would never be done. */
function hasStatus(job: unknown): boolean {
  return typeof (job as { status: unknown }).status === 'string'
}

interface Sent {
  headers: Record<string, string>
  signal: AbortSignal | undefined
}

interface Polled<Answer extends AnyAnswer> {
  send(sent: Sent): Promise<Answer>
  isDone(job: DataOf<Answer>): boolean
  /** How long the server may hold an answer instead of a pause. */
  chooseHoldMs(pauseMs: number): number
}

/**
 * Lets the server hold its answers if it says that it does (RFC 7240, 4.3), and otherwise pauses before each request. The first request
 * finds out with a wait of 0, because the first state is yielded at once.
 */
async function* poll<Answer extends AnyAnswer>(
  operation: string,
  { send, isDone, chooseHoldMs }: Polled<Answer>,
  { signal, firstWaitMs = 1000, maxWaitMs = 10_000 }: WaitOptions,
): AsyncGenerator<DataOf<Answer>, void, undefined> {
  let shown = ''
  let holdSeconds = 0
  let canPrefer = true
  let isHeld = false
  const sendOnce = async () => {
    const answer = await send({ headers: canPrefer ? { Prefer: `wait=${holdSeconds}` } : {}, signal }).catch(error => {
      // A proxy may not hold an answer for so long, and a server may not allow the header to scripts of other origins.
      canPrefer = false
      throw error
    })
    isHeld = canPrefer && answer.response.headers.has('Preference-Applied')
    return answer
  }
  for (let waitMs = Math.min(firstWaitMs, maxWaitMs); ; waitMs = Math.min(waitMs * 1.5, maxWaitMs)) {
    signal?.throwIfAborted()
    const sentAt = Date.now()
    const job = await getData(operation, { send: sendOnce, isWhole: hasStatus, signal })
    const text = JSON.stringify(job)
    const isNew = text !== shown
    if (isNew) yield job
    if (isDone(job)) return
    shown = text
    // A server that says it held the answer, but did not, would be asked without end.
    const isEarly = holdSeconds > 0 && !isNew && Date.now() - sentAt < 900
    holdSeconds = isHeld ? Math.floor(chooseHoldMs(waitMs) / 1000) : 0
    if (holdSeconds === 0 || isEarly) await sleep(waitMs, signal)
  }
}
