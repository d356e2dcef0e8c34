import type { Readable } from 'node:stream'
import { RunError } from '../run-end.ts'

const maxMessageBytes = 1024 ** 2
/** A program that writes faster has to wait, so that the server has time for others. */
const windowMs = 100
const maxWindowBytes = 1024 ** 2

export interface MessageReader {
  maxBytes: number
  onMessage(message: Record<string, unknown>): void
  /** Called once. No more is read then. */
  onExceeded(error: RunError): void
}

/** Reads JSON objects, one a line. Other lines are left out: programs write notices to their standard output. */
export function readMessages(stdout: Readable, { maxBytes, onMessage, onExceeded }: MessageReader): void {
  let begun: Buffer[] = []
  let begunBytes = 0
  let allBytes = 0
  let windowBytes = 0
  let windowAt = 0
  let hasExceeded = false

  const exceed = (sentence: string) => {
    hasExceeded = true
    begun = []
    onExceeded(new RunError('resource_limit', sentence))
  }
  const takeLines = (bytes: Buffer) => {
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0 && !hasExceeded; end = bytes.indexOf(10, from)) {
      const line = begunBytes + end - from > maxMessageBytes ? undefined : [...begun, bytes.subarray(from, end)]
      begun = []
      begunBytes = 0
      from = end + 1
      if (line === undefined) return exceed('The agent sent a message of more than 1 MB.')
      const message = parseObject(Buffer.concat(line).toString())
      if (message) onMessage(message)
    }
    // The bytes belong to a larger buffer, which would stay.
    if (from < bytes.length) begun.push(Buffer.from(bytes.subarray(from)))
    begunBytes += bytes.length - from
    if (begunBytes > maxMessageBytes) exceed('The agent sent a message of more than 1 MB.')
  }
  stdout.on('error', () => {})
  stdout.on('data', (bytes: Buffer) => {
    if (hasExceeded) return
    allBytes += bytes.length
    if (allBytes > maxBytes) return exceed(`The agent wrote more than ${Math.round(maxBytes / 1e6)} MB.`)
    takeLines(bytes)
    const now = performance.now()
    if (now - windowAt > windowMs) {
      windowAt = now
      windowBytes = 0
    }
    windowBytes += bytes.length
    if (windowBytes < maxWindowBytes) return
    stdout.pause()
    setTimeout(() => stdout.resume(), windowMs - (now - windowAt))
  })
}

function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
