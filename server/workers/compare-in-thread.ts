import { mkdir } from 'node:fs/promises'
import { startThread } from '../assets.ts'
import { BoundedCache } from '../base/bounded-cache.ts'
import { createQueue } from '../base/queue.ts'
import type { BundleChanges } from '../export/compare/compare-bundles.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { Bundle } from '../export/jobs/export-job.ts'
import { openScratchFolder } from '../store/scratch-folder.ts'

/** The data that the thread starts with: two archives, and a folder to unpack them into. */
export interface CompareSetup {
  before: string
  after: string
  folder: string
}

/** Compares the texts of two bundles. The answers are kept, because a bundle never changes. */
export type CompareBundles = (before: Bundle, after: Bundle) => Promise<BundleChanges>

const maxHeapMb = 512
const maxMs = 300_000
const keptAnswers = 20
const prefix = 'quire-compare-'

/**
 * Creates a function that compares bundles in a thread, one pair at a time: it unpacks both to the disk, and reads them whole.
 *
 * @param workFolder for the unpacked bundles. What a killed process left there is removed.
 */
export function createCompareInThread(bundles: BundleStore, workFolder: string): CompareBundles {
  const answers = new BoundedCache<string, BundleChanges>(keptAnswers)
  const running = new Map<string, Promise<BundleChanges>>()
  const queue = createQueue(1)

  async function compare(before: Bundle, after: Bundle): Promise<BundleChanges> {
    await mkdir(workFolder, { recursive: true })
    const scratch = await openScratchFolder(workFolder, prefix)
    try {
      return await bundles.withFile(before.fileName, first =>
        bundles.withFile(after.fileName, second => runThread({ before: first, after: second, folder: scratch.path })),
      )
    } finally {
      await scratch.close()
    }
  }

  return async (before, after) => {
    const key = `${before.sha256} ${after.sha256}`
    const known = answers.get(key)
    if (known) return known
    const open = running.get(key) ?? queue.add(() => compare(before, after))
    running.set(key, open)
    try {
      const answer = await open
      answers.set(key, answer)
      return answer
    } finally {
      running.delete(key)
    }
  }
}

async function runThread(setup: CompareSetup): Promise<BundleChanges> {
  const thread = startThread('workers/compare-worker', setup, { maxOldGenerationSizeMb: maxHeapMb })
  const { promise, resolve, reject } = Promise.withResolvers<BundleChanges>()
  const timer = setTimeout(() => reject(new Error('comparing the bundles takes too long')), maxMs)
  thread.on('message', resolve)
  thread.on('error', reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
