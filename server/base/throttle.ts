/** Says at most every so many milliseconds that it is time again, first when they have passed once. */
export function createClock(everyMs: number): () => boolean {
  let at = performance.now()
  return () => {
    if (performance.now() - at < everyMs) return false
    at = performance.now()
    return true
  }
}
