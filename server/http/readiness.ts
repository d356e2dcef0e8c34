import type { Awaitable } from '../base/awaitable.ts'

const checkEveryMs = 3000
/** After a failure, the database may soon be back. */
const checkAgainMs = 500

export interface Readiness {
  /** Returns the reason why requests cannot be served; undefined = they can. */
  whyNotReady(): Promise<string | undefined>
  /** Marks the server as not ready, because it shuts down. */
  shutDown(): void
}

/**
 * Checks whether the server can serve requests.
 *
 * @param checkStore fails when the database cannot be written. It writes, so it runs at most once every few seconds.
 * @param whyUnable returns another reason why the server cannot do its work; undefined = it can.
 */
export function createReadiness(
  checkStore: (now: number) => Awaitable<void>,
  whyUnable: () => string | undefined = () => undefined,
): Readiness {
  let checkedAt = Number.NEGATIVE_INFINITY
  let checked: Promise<string | undefined> = Promise.resolve(undefined)
  let isShuttingDown = false

  async function check(): Promise<string | undefined> {
    try {
      await checkStore(Date.now())
      return undefined
    } catch (error) {
      checkedAt = performance.now() - checkEveryMs + checkAgainMs
      return `the database cannot be written (${(error as { code?: unknown }).code ?? 'no reason given'})`
    }
  }

  return {
    async whyNotReady() {
      if (isShuttingDown) return 'shutting down'
      const now = performance.now()
      if (now - checkedAt >= checkEveryMs) {
        checkedAt = now
        checked = check()
      }
      const reason = (await checked) ?? whyUnable()
      return isShuttingDown ? 'shutting down' : reason
    },
    shutDown() {
      isShuttingDown = true
    },
  }
}
