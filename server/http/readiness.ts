const checkEveryMs = 3000

export interface Readiness {
  /** Returns the reason why requests cannot be served; undefined = they can. */
  whyNotReady(): string | undefined
  /** Marks the server as not ready, because it shuts down. */
  shutDown(): void
}

/**
 * Checks whether the server can serve requests.
 *
 * @param checkStore throws when the database cannot be written. It writes, so it runs at most once every few seconds.
 */
export function createReadiness(checkStore: (now: number) => void): Readiness {
  let checkedAt = Number.NEGATIVE_INFINITY
  let reason: string | undefined
  let isShuttingDown = false

  function check(): void {
    const now = performance.now()
    if (now - checkedAt < checkEveryMs) return
    checkedAt = now
    try {
      checkStore(Date.now())
      reason = undefined
    } catch (error) {
      reason = `the database cannot be written (${(error as { code?: unknown }).code ?? 'no reason given'})`
    }
  }

  return {
    whyNotReady() {
      if (isShuttingDown) return 'shutting down'
      check()
      return reason
    },
    shutDown() {
      isShuttingDown = true
    },
  }
}
