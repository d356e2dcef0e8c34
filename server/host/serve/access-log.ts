import { appendFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Stoppable } from '../../base/background.ts'
import { repeat } from '../../base/timer.ts'

const flushEveryMs = 1000
/** Lines that wait for the disk; further lines are dropped. */
const maxWaitingBytes = 4 * 1024 ** 2
const maxFieldCharacters = 8192
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

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
      const line = writeLine({ req, client: findClient(req), status: statusOf(res), sentBytes, atMs: now() })
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

interface LoggedRequest {
  req: Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers'>
  client: string
  status: number
  sentBytes: number
  atMs: number
}

/** Exported for tests. */
export function writeLine({ req, client, status, sentBytes, atMs }: LoggedRequest): string {
  const { method, url, httpVersion, headers } = req
  const request = escapeField(`${method} ${url} HTTP/${httpVersion}`)
  const referrer = escapeField(headers.referer ?? '-')
  const userAgent = escapeField(headers['user-agent'] ?? '-')
  return `${client} - - [${writeDate(atMs)}] "${request}" ${status} ${sentBytes} "${referrer}" "${userAgent}"\n`
}

function writeDate(atMs: number): string {
  const at = new Date(atMs)
  const two = (number: number) => String(number).padStart(2, '0')
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':')
  return `${two(at.getUTCDate())}/${months[at.getUTCMonth()]}/${at.getUTCFullYear()}:${time} +0000`
}

/** Escapes quotes and all bytes that are not printable ASCII, as nginx does. Node reads each byte of a header as one character. */
function escapeField(text: string): string {
  return text.slice(0, maxFieldCharacters).replaceAll(/["\\]|[^\x20-\x7e]/g, toEscape)
}

function toEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
