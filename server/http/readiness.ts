const checkEveryMs = 3000

export interface Readiness {
  /** Gives the reason why requests cannot be served; undefined while they can. */
  whyNotReady(): string | undefined
  /** From now on the server is not ready. */
  shutDown(): void
}

/**
 * Tells whether the server can serve requests.
 *
 * @param checkStore throws when the database cannot be written. It writes, so it runs once every few seconds at most.
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
