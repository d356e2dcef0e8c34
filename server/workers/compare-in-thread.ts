import { mkdir, statfs } from 'node:fs/promises'
import type { Stoppable } from '../base/background.ts'
import { BoundedCache } from '../base/bounded-cache.ts'
import { createQueue } from '../base/queue.ts'
import type { CutChanges } from '../export/compare/cut-changes.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { Bundle } from '../export/jobs/export-job.ts'
import { openScratchFolder, sweepScratchFolders } from '../store/scratch-folder.ts'
import { askThread } from './ask-thread.ts'

/** The data that the thread starts with: two archives, a folder to unpack them into, and the space for each. */
export interface CompareSetup {
  before: string
  after: string
  folder: string
  totalBytes: number
}

/** 'failed' = one of the bundles cannot be read, or the work needs too much time, memory or disk. */
export type CompareOutcome = CutChanges | 'failed'

export interface BundleComparison extends Stoppable {
  /** Compares the texts of two bundles. Answers are kept, because a bundle never changes. Never rejects. */
  compare(before: Bundle, after: Bundle): Promise<CompareOutcome>
}

const maxHeapMb = 512
const maxMs = 300_000
const keptAnswers = 20
/** How long a failure is kept, so that a page that renews itself does not repeat the work. */
const failedMs = 10 * 60_000
/** Max waiting pairs of all organizations. A page that renews itself asks for more again. */
const maxWaiting = 8
/** Each of the two bundles may take a quarter of the free space. */
const spaceShare = 0.25
const prefix = 'quire-compare-'

/**
 * Creates a comparison of bundles in a thread, one pair at a time: it unpacks both to the disk, and reads them whole.
 *
 * @param workFolder for the unpacked bundles. What killed processes left there is removed.
 */
export function createComparison(bundles: BundleStore, workFolder: string, now: () => number): BundleComparison {
  const answers = new BoundedCache<string, CutChanges>(keptAnswers)
  const failures = new BoundedCache<string, number>(1000)
  const running = new Map<string, Promise<CompareOutcome>>()
  const queue = createQueue(1)
  const stopping = new AbortController()
  const read = (setup: CompareSetup) =>
    askThread<CutChanges>('workers/compare-worker', setup, { maxHeapMb, maxMs, signal: stopping.signal })
  const swept = sweepScratchFolders(workFolder, prefix)

  async function compare(before: Bundle, after: Bundle): Promise<CutChanges> {
    stopping.signal.throwIfAborted()
    await swept
    await mkdir(workFolder, { recursive: true })
    const { bavail, bsize } = await statfs(workFolder)
    const scratch = await openScratchFolder(workFolder, prefix)
    const setup = { folder: scratch.path, totalBytes: bavail * bsize * spaceShare }
    try {
      return await bundles.withFile(before.fileName, first =>
        bundles.withFile(after.fileName, second => read({ ...setup, before: first, after: second })),
      )
    } finally {
      await scratch.close()
    }
  }

  async function run(key: string, before: Bundle, after: Bundle): Promise<CompareOutcome> {
    try {
      const answer = await queue.add(() => compare(before, after))
      answers.set(key, answer)
      return answer
    } catch {
      failures.set(key, now())
      return 'failed'
    } finally {
      running.delete(key)
    }
  }

  return {
    async compare(before, after) {
      const key = `${before.sha256} ${after.sha256}`
      const known = answers.get(key) ?? running.get(key)
      if (known) return known
      if (now() - (failures.get(key) ?? Number.NEGATIVE_INFINITY) < failedMs) return 'failed'
      // It waits like the others, but is not in the queue.
      if (running.size >= maxWaiting) return new Promise(() => {})
      const started = run(key, before, after)
      running.set(key, started)
      return started
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
