/** A limited number of places for each key. */
interface Places {
  /** Waits for a free place of the key, in the order of the calls. Call the returned function once to free the place. */
  take(key: string): Promise<() => void>
}

/** Creates the places: `perKey` for each key. Memory is used only for keys with a taken place. */
export function createPlaces(perKey: number): Places {
  const byKey = new Map<string, { taken: number; waiting: (() => void)[] }>()

  function free(key: string): void {
    const places = byKey.get(key)
    if (!places) return
    const next = places.waiting.shift()
    // The place goes straight to the next caller.
    if (next) next()
    else if (--places.taken === 0) byKey.delete(key)
  }

  return {
    async take(key) {
      const places = byKey.get(key) ?? { taken: 0, waiting: [] }
      byKey.set(key, places)
      if (places.taken < perKey) places.taken++
      else await new Promise<void>(done => places.waiting.push(done))
      let isFree = false
      return () => {
        if (!isFree) free(key)
        isFree = true
      }
    },
  }
}
