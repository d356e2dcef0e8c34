import { Worker } from 'node:worker_threads'

/** What the thread needs. */
export interface RetentionSetup {
  dataFolder: string
  retentionDays: number
}

/** What it tells: a project whose visitors of so many days are forgotten. */
export interface RetentionNews {
  projectId: string
  visitorDays: number
}

export interface VisitorRetentionOptions {
  dataFolder: string
  /** How many days back it stays known who saw what; undefined = for ever. */
  retentionDays: number | undefined
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 6 * 60 * 60 * 1000

/** Forgets visitors by age, now and every few hours, in a thread of its own; does nothing when no retention is set. */
export function startVisitorRetention({ dataFolder, retentionDays, log }: VisitorRetentionOptions): {
  stop(): Promise<void>
} {
  if (retentionDays === undefined) return { stop: async () => {} }
  let worker: Worker | undefined
  function run(): void {
    if (worker) return
    const workerData: RetentionSetup = { dataFolder, retentionDays: retentionDays as number }
    worker = new Worker(new URL('./prune-visitors-worker.ts', import.meta.url), { workerData })
    worker.on('message', (news: RetentionNews) => log.info({ ...news, retentionDays }, 'forgot old visitors'))
    worker.on('error', error =>
      log.error({ err: error }, 'old visitors could not be forgotten; the next try is in some hours'),
    )
    worker.on('exit', () => {
      worker = undefined
    })
  }
  run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      // What is under way is undone as a whole, and done at the next start.
      await worker?.terminate()
    },
  }
}
