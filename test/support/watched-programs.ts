const endedEarly = new Set<Error>()

/** Records the error of a program that ended, until `stop` is called. `ended` gives null for an expected end. */
export function watchProgram(ended: Promise<Error | null>): { stop(): void } {
  let watched = true
  let error: Error | undefined
  const note = (found: Error | null) => {
    if (found === null) return
    error = found
    if (watched) endedEarly.add(found)
  }
  ended.then(note, note)
  return {
    stop() {
      watched = false
      if (error) endedEarly.delete(error)
    },
  }
}

/**
 * If a program started by this test file ended too early, throws its error. Throws each error once. This module imports
 * nothing, so that unit tests can use it, too.
 */
export function failIfProgramEnded(): void {
  for (const error of endedEarly) {
    endedEarly.delete(error)
    throw error
  }
}
