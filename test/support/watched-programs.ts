const endedEarly = new Set<Error>()

/** Records how a program ended, until the test allows it to end. Null = as the test expected. */
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

/** Throws the error of a program of this test file that ended too early, once. This file has no imports, so that unit tests can use it, too. */
export function failIfProgramEnded(): void {
  for (const error of endedEarly) {
    endedEarly.delete(error)
    throw error
  }
}
