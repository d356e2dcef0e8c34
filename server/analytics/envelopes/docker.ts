import type { Content, Envelope, Unwrap } from './envelope.ts'
import { JsonText } from './json-text.ts'

const head = Buffer.from('{"log":"')
const streamKey = Buffer.from('"stream":"')
/** Docker splits longer lines. */
const maxPieceBytes = 16 * 1024

/**
 * Files of Docker's `json-file` driver: `{"log":"content\n","stream":"stdout","time":"..."}`. A content of 16 KiB without a
 * line break continues in the next line of the same stream.
 * https://docs.docker.com/engine/logging/drivers/json-file/
 */
export const docker: Envelope = {
  name: 'docker',
  title: 'Docker json-file',
  open: openDocker,
}

function openDocker(): Unwrap {
  const text = new JsonText()
  return (bytes, start, end, content) => {
    if (!startsWith(bytes, start, end)) return false
    const from = start + head.length
    const stop = text.decode(bytes, from, end)
    // The other fields, as docker writes them. A program's own JSON line may begin with `log`, too.
    if (stop === -1 || bytes[end - 1] !== 0x7d) return false
    const stream = findStream(bytes, stop, end)
    if (stream === -1) return false
    // The streams are `stdout` and `stderr`.
    setContent(content, text, bytes[stream + 'std'.length] === 0x65 ? 1 : 0)
    return true
  }
}

function setContent(content: Content, { bytes, length }: JsonText, key: number): void {
  const isWhole = length > 0 && bytes[length - 1] === 0x0a
  const hasReturn = isWhole && length > 1 && bytes[length - 2] === 0x0d
  content.bytes = bytes
  content.start = 0
  content.end = isWhole ? length - (hasReturn ? 2 : 1) : length
  content.isPart = !isWhole && length >= maxPieceBytes
  content.key = key
}

function startsWith(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < head.length) return false
  for (let i = 0; i < head.length; i++) if (bytes[start + i] !== head[i]) return false
  return true
}

/** Returns the start of the stream's name; -1 when there is none. `Buffer.indexOf` would search beyond the line. */
function findStream(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i + streamKey.length < end; i++) {
    let length = 0
    while (length < streamKey.length && bytes[i + length] === streamKey[length]) length++
    if (length === streamKey.length) return i + length
  }
  return -1
}
