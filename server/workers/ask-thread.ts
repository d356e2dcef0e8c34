import { startThread } from '../assets.ts'

interface ThreadLimits {
  maxHeapMb: number
  maxMs: number
  /** Ends the thread when the server stops. */
  signal?: AbortSignal | undefined
}

/**
 * Starts a thread for one answer, and ends it then. What the thread reads comes from others, and may need too much time or memory.
 *
 * @throws Error that says why there is no answer
 */
export async function askThread<Answer>(
  worker: Parameters<typeof startThread>[0],
  setup: object,
  { maxHeapMb, maxMs, signal }: ThreadLimits,
): Promise<Answer> {
  signal?.throwIfAborted()
  const thread = startThread(worker, setup, { maxOldGenerationSizeMb: maxHeapMb })
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const giveUp = (reason: string) => reject(new Error(reason))
  const end = () => giveUp('the server stops')
  const timer = setTimeout(() => giveUp('reading the answers takes too long'), maxMs)
  signal?.addEventListener('abort', end)
  thread.on('message', resolve)
  thread.on('error', () => giveUp('the answers cannot be read'))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    await thread.terminate()
  }
}
