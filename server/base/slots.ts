/** Creates a limited number of slots for each key. Memory is used only for keys with a taken slot. */
export function createSlots(perKey: number) {
  const byKey = new Map<string, { taken: number; waiting: (() => void)[] }>()

  function free(key: string): void {
    const slots = byKey.get(key)
    if (!slots) return
    const next = slots.waiting.shift()
    // The slot goes straight to the next caller.
    if (next) next()
    else if (--slots.taken === 0) byKey.delete(key)
  }

  return {
    /** Waits for a free slot of the key, in the order of the calls. Call the returned function once to free the slot. */
    async take(key: string): Promise<() => void> {
      const slots = byKey.get(key) ?? { taken: 0, waiting: [] }
      byKey.set(key, slots)
      if (slots.taken < perKey) slots.taken++
      else await new Promise<void>(done => slots.waiting.push(done))
      let isFree = false
      return () => {
        if (!isFree) free(key)
        isFree = true
      }
    },
  }
}
