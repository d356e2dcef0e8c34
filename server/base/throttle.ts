/** Returns a function that returns true at most once per `everyMs`, for the first time after one interval. */
export function createClock(everyMs: number): () => boolean {
  let at = performance.now()
  return () => {
    if (performance.now() - at < everyMs) return false
    at = performance.now()
    return true
  }
}
