/** Returns a function that is true at most once every `everyMs`, the first time after one interval. */
export function createClock(everyMs: number): () => boolean {
  let at = performance.now()
  return () => {
    if (performance.now() - at < everyMs) return false
    at = performance.now()
    return true
  }
}
