import { appendFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Stoppable } from '../../base/background.ts'
import { writeCombinedLine } from '../../base/combined-line.ts'
import { repeat } from '../../base/timer.ts'

const flushEveryMs = 1000
/** Lines that wait for the disk; further lines are dropped. */
const maxWaitingBytes = 4 * 1024 ** 2

export interface AccessLog extends Stoppable {
  note(req: IncomingMessage, res: ServerResponse, sentBytes: number): void
}

export interface AccessLogOptions {
  /** null = standard output. */
  file: string | null
  /** Returns the address of the client. */
  findClient(req: IncomingMessage): string
  now(): number
  /** Called when lines are lost; once until lines can be written again. */
  onLoss(error: unknown): void
}

/**
 * Writes one line per request in the combined format of nginx and Apache, with times in UTC. The file is opened for each write, so
 * that it can be rotated by renaming. On a full disk, lines are lost and requests go on.
 */
export function openAccessLog({ file, findClient, now, onLoss }: AccessLogOptions): AccessLog {
  let lines: string[] = []
  let waitingBytes = 0
  let isLossKnown = false

  async function write(): Promise<void> {
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    waitingBytes = 0
    try {
      if (file === null) process.stdout.write(text)
      else await appendFile(file, text)
      isLossKnown = false
    } catch (error) {
      if (!isLossKnown) onLoss(error)
      isLossKnown = true
    }
  }

  const writing = repeat(flushEveryMs, write)
  return {
    note(req, res, sentBytes) {
      if (waitingBytes > maxWaitingBytes) return
      const line = writeCombinedLine({ req, client: findClient(req), status: statusOf(res), sentBytes, atMs: now() })
      waitingBytes += line.length
      lines.push(line)
    },
    async stop() {
      await writing.stop()
      await write()
    },
  }
}

/** nginx too logs 499 when the client ended the connection first. */
function statusOf(res: ServerResponse): number {
  return res.writableFinished ? res.statusCode : 499
}
