export type ExportLog = (details: object, message: string) => void

/** Measures the stages of an export. The bundle contains no times, because the same site has to give the same bytes. */
export interface StageClock {
  /** Ends and logs a stage. A stage begins when the previous one ends. Times of a repeated stage are added up. */
  end(stage: string, details: object, message: string): void
  /** Returns seconds by stage, in order. */
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
