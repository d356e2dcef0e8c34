import { describeBytes } from '../base/format-bytes.ts'

const everyMs = 200

/** Shows the current file on standard error, if that is a terminal. */
export function createByteProgress(verb: string) {
  let nextAt = 0
  return {
    show({ path, doneBytes, totalBytes }: { path: string; doneBytes: number; totalBytes?: number }): void {
      const now = performance.now()
      if (!process.stderr.isTTY || now < nextAt) return
      nextAt = now + everyMs
      // The data may grow while it is copied.
      const total = totalBytes === undefined ? '' : ` of ${describeBytes(Math.max(totalBytes, doneBytes))}`
      const line = `${verb} ${path}: ${describeBytes(doneBytes)}${total}`
      process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    },
    clear(): void {
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    },
  }
}
