import type { ImportProgress } from '../analytics/import/import-log.ts'
import { showCount } from './print.ts'

const everyMs = 200

/** Shows the progress of one file on standard error, if that is a terminal. */
export function createProgressLine(file: string): { show(progress: ImportProgress): void; clear(): void } {
  if (!process.stderr.isTTY) return { show() {}, clear() {} }
  const startedAt = performance.now()
  let nextAt = startedAt + everyMs
  return {
    show(progress) {
      const now = performance.now()
      if (now < nextAt) return
      nextAt = now + everyMs
      process.stderr.write(`\r\x1b[K${file}: ${describeProgress(progress, (now - startedAt) / 1000)}`)
    },
    clear() {
      process.stderr.write('\r\x1b[K')
    },
  }
}

/** `1,234,567 lines, 400,000 lines/s, 123.4 MB of 500.0 MB, 9 s left` */
export function describeProgress({ lines, readBytes, sizeBytes }: ImportProgress, seconds: number): string {
  const perSecond = Math.round(lines / Math.max(seconds, 0.001))
  const read = `${showCount(lines)} lines, ${showCount(perSecond)} lines/s, ${toMegabytes(readBytes)}`
  if (!sizeBytes || readBytes === 0) return read
  // A log that is being written may have grown beyond the size.
  const left = Math.max(0, Math.ceil(((sizeBytes - readBytes) / readBytes) * seconds))
  return `${read} of ${toMegabytes(sizeBytes)}, ${left} s left`
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
