/** The time of the mock, in milliseconds since 1970. */
export interface Clock {
  now(): number
  /** Called at the beginning of each request. */
  tick(): void
}

/** The time of the first example of the document. */
const firstInstant = Date.UTC(2026, 10, 20, 9, 14, 3, 120)

/** Creates the clock of this machine, which runs `speed` times as fast from now on. */
export function createRunningClock(speed: number): Clock {
  const begin = Date.now()
  return { now: () => Math.round(begin + (Date.now() - begin) * speed), tick: () => undefined }
}

/** Creates a clock that moves with each request and stands still in between. So the same requests get the same answers. */
export function createStepClock(stepSeconds: number): Clock {
  let now = firstInstant
  return {
    now: () => now,
    tick: () => {
      now += stepSeconds * 1000
    },
  }
}
