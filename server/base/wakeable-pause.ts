/** A pause that can be ended early. An end without a pause ends the next one. */
export function createPause(): { end(): void; wait(ms: number): Promise<void> } {
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
