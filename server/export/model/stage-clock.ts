export type ExportLog = (details: object, message: string) => void

/** Tells how long the stages of an export take. Never in the bundle: the same site has to give the same bytes. */
export interface StageClock {
  /** Ends a stage, which began when the last one ended, and logs it. One that comes again is added up. */
  end(stage: string, details: object, message: string): void
  /** Seconds by stage, in their order. */
  seconds(): Record<string, number>
}

export function startStageClock(log: ExportLog | undefined): StageClock {
  const milliseconds = new Map<string, number>()
  let beganAt = performance.now()
  return {
    end(stage, details, message) {
      const now = performance.now()
      const ms = Math.round(now - beganAt)
      beganAt = now
      milliseconds.set(stage, (milliseconds.get(stage) ?? 0) + ms)
      log?.({ stage, ...details, ms }, message)
    },
    seconds: () => Object.fromEntries([...milliseconds].map(([stage, ms]) => [stage, ms / 1000])),
  }
}
