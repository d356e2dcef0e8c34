import type { Awaitable } from '../../base/awaitable.ts'
import { createQueue } from '../../base/queue.ts'
import type { BundleCondition } from '../../export/jobs/bundle-store.ts'
import type { RecordedBundle } from './recorded-bundles.ts'

/** Bundles that a server keeps in S3-compatible storage. They stay there: a backup only records their names. */
export interface StoredBundles {
  /** Names the storage in messages, such as `s3://bucket/prefix/`. */
  place: string
  /** May throw an `UnavailableError`. */
  check(bundle: RecordedBundle): Awaitable<BundleCondition>
}

/** What a backup records of the bundles that it does not contain. */
export interface BundlesElsewhere {
  place: string
  /** Those that were in the storage when the backup was made. */
  fileNames: string[]
}

/** A request takes longer than the work on its answer. */
const checksAtOnce = 16

/** Checks all bundles. Rejects when one cannot be checked, and then begins no further check. */
export async function checkStored(
  stored: Pick<StoredBundles, 'check'>,
  recorded: readonly RecordedBundle[],
): Promise<Map<RecordedBundle, BundleCondition>> {
  const conditions = new Map<RecordedBundle, BundleCondition>()
  const queue = createQueue(checksAtOnce)
  let hasFailed = false
  const check = async (bundle: RecordedBundle) => {
    if (hasFailed) return
    try {
      conditions.set(bundle, await stored.check(bundle))
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  await Promise.all(recorded.map(bundle => queue.add(() => check(bundle))))
  return conditions
}
