/** Returns a function that returns true at most once every `everyMs`, first after one interval. */
export function createClock(everyMs: number): () => boolean {
  let at = performance.now()
  return () => {
    if (performance.now() - at < everyMs) return false
    at = performance.now()
    return true
  }
}
