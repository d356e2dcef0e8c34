import type { Stoppable } from './background.ts'

export interface ClaimLoop extends Stoppable {
  /** Looks for work immediately and does not wait for the next poll. */
  wake(): void
}

interface ClaimOptions<Claimed> {
  /** Claims the next work beside what runs; undefined = there is none, or no room for it. */
  claim(running: readonly Claimed[]): Promise<Claimed | undefined>
  /** Does the work, and never throws. */
  run(claimed: Claimed): Promise<void>
  /** Is told why nothing could be claimed. It is tried again at the next poll. */
  onError(error: unknown): void
  pollMs: number
}

/** Claims work and runs it, several pieces at once. `stop` claims nothing more, and resolves when no work is running. */
export function startClaiming<Claimed>({ claim, run, onError, pollMs }: ClaimOptions<Claimed>): ClaimLoop {
  const running = new Map<Promise<void>, Claimed>()
  const pause = createPause()
  let isStopping = false

  async function claimNext(): Promise<boolean> {
    const claimed = await claim([...running.values()])
    if (claimed === undefined) return false
    const attempt = run(claimed).finally(() => {
      running.delete(attempt)
      pause.end()
    })
    running.set(attempt, claimed)
    return true
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      const hasClaimed = await claimNext().catch(error => {
        onError(error)
        return false
      })
      if (!hasClaimed && !isStopping) await pause.wait(pollMs)
    }
    await Promise.all(running.keys())
  }

  const looping = loop()
  return {
    wake: pause.end,
    async stop() {
      isStopping = true
      pause.end()
      await looping
    },
  }
}

/** A pause that can be ended early. An end without a pause ends the next one. */
function createPause(): { end(): void; wait(ms: number): Promise<void> } {
  let resolve: (() => void) | undefined
  let isEnded = false
  return {
    end(): void {
      isEnded = true
      resolve?.()
    },
    async wait(ms: number): Promise<void> {
      if (!isEnded) {
        const { promise, resolve: done } = Promise.withResolvers<void>()
        resolve = done
        const timer = setTimeout(done, ms)
        await promise
        clearTimeout(timer)
      }
      isEnded = false
      resolve = undefined
    },
  }
}
