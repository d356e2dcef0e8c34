import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { compareBundles } from '../export/compare/compare-bundles.ts'
import { cutChanges } from '../export/compare/cut-changes.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import type { CompareSetup } from './compare-in-thread.ts'

const { before, after, folder, totalBytes } = workerData as CompareSetup

async function compare() {
  const { signal } = new AbortController()
  const limits = { ...defaultUnpackLimits, totalBytes: Math.min(defaultUnpackLimits.totalBytes, totalBytes) }
  const unpack = async (file: string, name: string) => {
    const to = join(folder, name)
    await unpackArchive({ file, folder: to, limits, signal })
    return to
  }
  return cutChanges(await compareBundles(await unpack(before, 'before'), await unpack(after, 'after'), signal))
}

// Without an await at the top, because the single binary runs threads as CommonJS. A rejection ends the thread.
void compare().then(changes => parentPort?.postMessage(changes))
