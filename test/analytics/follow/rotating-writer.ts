import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { toLine } from './numbered-lines.ts'

export type Rotation = 'rename' | 'copytruncate'

/** Simulates a server that writes numbered lines to a log without a pause, and logrotate. */
export class RotatingWriter {
  readonly #log: string
  #descriptor: number
  #written = 0
  #isStopped = false
  /** Bytes that are not written yet. A write may end in the middle of a line, because servers write full buffers. */
  #rest = Buffer.alloc(0)
  readonly #running: Promise<void>

  constructor(log: string, { linesPerSecond }: { linesPerSecond: number }) {
    this.#log = log
    this.#descriptor = openSync(log, 'a')
    this.#running = this.#run(linesPerSecond)
  }

  /** Moves `log` to `log.1`, `log.1` to `log.2` and so on, and compresses `log.3`. */
  async rotate(how: Rotation): Promise<void> {
    for (let number = 99; number >= 1; number--) {
      for (const end of ['', '.gz']) {
        const name = `${this.#log}.${number}${end}`
        if (existsSync(name)) renameSync(name, `${this.#log}.${number + 1}${end}`)
      }
    }
    if (how === 'copytruncate') this.#copyAndTruncate()
    else await this.#renameAndReopen()
    this.#compress(`${this.#log}.3`)
  }

  /** Stops after a complete line, and returns the number of lines written. */
  async stop(): Promise<number> {
    this.#isStopped = true
    await this.#running
    this.#endLine()
    closeSync(this.#descriptor)
    return this.#written
  }

  /** Runs synchronously, so that no line is written between copy and truncation. logrotate loses such lines. */
  #copyAndTruncate(): void {
    this.#endLine()
    copyFileSync(this.#log, `${this.#log}.1`)
    ftruncateSync(this.#descriptor)
  }

  /** Writes to the renamed file for a moment, as nginx does until it reopens its logs. */
  async #renameAndReopen(): Promise<void> {
    renameSync(this.#log, `${this.#log}.1`)
    const opened = openSync(this.#log, 'a')
    await setTimeout(100)
    this.#endLine()
    closeSync(this.#descriptor)
    this.#descriptor = opened
  }

  #compress(name: string): void {
    if (!existsSync(name)) return
    writeFileSync(`${name}.gz`, gzipSync(readFileSync(name), { level: 1 }))
    rmSync(name)
  }

  async #run(linesPerSecond: number): Promise<void> {
    const startedAt = performance.now()
    while (!this.#isStopped) {
      const due = ((performance.now() - startedAt) / 1000) * linesPerSecond
      const lines: string[] = []
      while (this.#written < due) lines.push(toLine(this.#written++))
      const bytes = Buffer.concat([this.#rest, Buffer.from(lines.join(''))])
      const cut = Math.max(0, bytes.length - 40)
      writeSync(this.#descriptor, bytes, 0, cut)
      this.#rest = bytes.subarray(cut)
      await setTimeout(10)
    }
  }

  #endLine(): void {
    writeSync(this.#descriptor, this.#rest)
    this.#rest = Buffer.alloc(0)
  }
}
