import type { Content, Envelope } from './envelope.ts'
import { findIsoTimeEnd } from './time-prefix.ts'

const space = 0x20
const escapeCharacter = 0x1b
const pipe = 0x7c
const maxNameBytes = 128

/**
 * The output of `docker compose logs`: `web-1  | content`, with or without colors, and with a time before the content when
 * `--timestamps` is set.
 * https://docs.docker.com/reference/cli/docker/compose/logs/
 */
export const compose: Envelope = {
  name: 'docker-compose',
  title: 'docker compose logs',
  open: () => unwrapCompose,
}

function unwrapCompose(bytes: Buffer, start: number, end: number, content: Content): boolean {
  const nameStart = skipColor(bytes, start, end)
  let at = nameStart
  while (at < end && at - nameStart <= maxNameBytes && isNameByte(bytes[at] as number)) at++
  if (at === nameStart || bytes[at] !== space) return false
  while (at < end && bytes[at] === space) at++
  if (bytes[at] !== pipe) return false
  at = skipColor(bytes, at + 1, end)
  if (bytes[at] !== space) return false
  at = skipColor(bytes, at + 1, end)
  const timeEnd = findIsoTimeEnd(bytes, at, end)
  content.bytes = bytes
  content.start = timeEnd !== -1 && bytes[timeEnd] === space ? timeEnd + 1 : at
  content.end = end
  content.isPart = false
  return content.start < end
}

/** The names of containers have letters, digits, `_`, `.` and `-`. */
function isNameByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f ||
    byte === 0x2d ||
    byte === 0x2e
  )
}

/** Returns the end of an escape sequence for a color, such as `ESC[36m`, at `at`, or `at` when there is none. */
function skipColor(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== escapeCharacter) return at
  let i = at + 1
  while (i < end && i < at + 12 && bytes[i] !== 0x6d) i++
  return bytes[i] === 0x6d ? i + 1 : at
}
