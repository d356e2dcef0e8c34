import { availableParallelism, totalmem } from 'node:os'
import { Option } from 'commander'
import { integer } from './integer.ts'

/** The parsed flags of the export queue. */
export interface QueueFlags {
  exportsAtOnce: number
  maxQueuedExports: number
}

const gigabyte = 1024 ** 3
/** Memory for one more export: its browser, a thread and the pages it collected. */
const bytesPerExport = gigabyte
const maxDefault = 8

/** Creates the flags of the export queue. */
export function queueOptions(): Option[] {
  return [
    new Option('--exports-at-once <number>', 'exports that run at once; one organization gets half of them at most')
      .env('QUIRE_EXPORTS_AT_ONCE')
      .default(chooseExportsAtOnce(availableParallelism(), findMemory()), 'by cores and memory, 2 to 8')
      .argParser(integer(1, 64)),
    new Option('--max-queued-exports <number>', 'maximum exports of one organization that wait in the queue')
      .env('QUIRE_MAX_QUEUED_EXPORTS')
      .default(100)
      .argParser(integer(1, 100_000)),
  ]
}

/** Returns two exports per core, because they mostly wait for the site, but at most one per gigabyte; 2 to 8. */
export function chooseExportsAtOnce(cores: number, memoryBytes: number): number {
  return Math.max(2, Math.min(2 * cores, Math.floor(memoryBytes / bytesPerExport), maxDefault))
}

/** Returns the memory of this machine, or of its container if that has less. */
function findMemory(): number {
  // 0 or a huge number = no limit.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
