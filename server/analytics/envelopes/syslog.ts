import type { Content, Envelope } from './envelope.ts'
import { findIsoTimeEnd, isClockTime, isDigit } from './time-prefix.ts'

const space = 0x20
const colon = 0x3a
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'

/**
 * Syslog lines in the style of RFC 3164, with or without a priority: `<190>Nov 20 10:11:12 host nginx[12]: content`. The time
 * may also be RFC 3339, as rsyslog and `journalctl -o short-iso` write it. The host may be missing, as with nginx's `nohostname`.
 * https://www.rfc-editor.org/rfc/rfc3164
 */
export const syslog: Envelope = {
  name: 'syslog',
  title: 'syslog (RFC 3164)',
  open: () => unwrapSyslog,
}

/**
 * Syslog lines of RFC 5424: `<190>1 2026-11-20T10:11:12.123Z host nginx 12 - [data] content`. The length that RFC 6587 puts
 * before a message is skipped.
 * https://www.rfc-editor.org/rfc/rfc5424
 */
export const syslog5424: Envelope = {
  name: 'syslog-5424',
  title: 'syslog (RFC 5424)',
  open: () => unwrapSyslog5424,
}

function unwrapSyslog(bytes: Buffer, start: number, end: number, content: Content): boolean {
  const timeStart = bytes[start] === 0x3c ? skipPriority(bytes, start, end) : start
  if (timeStart === -1) return false
  const timeEnd = findTimeEnd(bytes, timeStart, end)
  if (timeEnd === -1 || bytes[timeEnd] !== space) return false
  const tagEnd = findTagEnd(bytes, timeEnd + 1, end)
  if (tagEnd === -1) return false
  return setContent(content, bytes, skipSpaces(bytes, tagEnd, end), end)
}

function unwrapSyslog5424(bytes: Buffer, start: number, end: number, content: Content): boolean {
  const priorityEnd = skipPriority(bytes, skipLength(bytes, start, end), end)
  if (priorityEnd === -1 || bytes[priorityEnd] !== 0x31 || bytes[priorityEnd + 1] !== space) return false
  const timeStart = priorityEnd + 2
  let at = bytes[timeStart] === 0x2d ? timeStart + 1 : findIsoTimeEnd(bytes, timeStart, end)
  if (at === -1 || bytes[at] !== space) return false
  // Host, program, process and message.
  for (let words = 0; words < 4; words++) {
    at = findWordEnd(bytes, at + 1, end)
    if (at === -1) return false
  }
  const dataEnd = findDataEnd(bytes, at + 1, end)
  if (dataEnd === -1 || bytes[dataEnd] !== space) return false
  const hasMark = bytes[dataEnd + 1] === 0xef && bytes[dataEnd + 2] === 0xbb && bytes[dataEnd + 3] === 0xbf
  return setContent(content, bytes, dataEnd + (hasMark ? 4 : 1), end)
}

function setContent(content: Content, bytes: Buffer, start: number, end: number): boolean {
  content.bytes = bytes
  content.start = start
  content.end = end
  content.isPart = false
  return start < end
}

/** Returns the end of `<190>` at `at`; -1 when there is none. */
function skipPriority(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== 0x3c) return -1
  for (let i = at + 1; i < end && i <= at + 4; i++) {
    if (bytes[i] === 0x3e) return i > at + 1 ? i + 1 : -1
    if (!isDigit(bytes[i] as number)) return -1
  }
  return -1
}

/** Returns the end of a length such as `231 ` at `at`, or `at` when there is none. */
function skipLength(bytes: Uint8Array, at: number, end: number): number {
  let i = at
  while (i < end && i < at + 6 && isDigit(bytes[i] as number)) i++
  return i > at && bytes[i] === space ? i + 1 : at
}

/** Returns the end of `Nov 20 10:11:12` or of an RFC 3339 time; -1 when there is neither. */
function findTimeEnd(bytes: Buffer, at: number, end: number): number {
  if (isDigit(bytes[at] as number)) return findIsoTimeEnd(bytes, at, end)
  const isTime =
    at + 'Nov 20 10:11:12'.length < end &&
    isMonth(bytes, at) &&
    bytes[at + 3] === space &&
    (bytes[at + 4] === space || isDigit(bytes[at + 4] as number)) &&
    isDigit(bytes[at + 5] as number) &&
    bytes[at + 6] === space &&
    isClockTime(bytes, at + 7)
  return isTime ? at + 15 : -1
}

function isMonth(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < months.length; i += 4) {
    const isSame =
      bytes[at] === months.charCodeAt(i) &&
      bytes[at + 1] === months.charCodeAt(i + 1) &&
      bytes[at + 2] === months.charCodeAt(i + 2)
    if (isSame) return true
  }
  return false
}

/** Returns the end of the tag, a word that ends with a colon. It is the first word, or the second after the host; -1 = none. */
function findTagEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = findWordEnd(bytes, at, end)
  if (first === -1) return -1
  if (bytes[first - 1] === colon) return first
  const second = findWordEnd(bytes, first + 1, end)
  return second !== -1 && bytes[second - 1] === colon ? second : -1
}

/** Returns the end of a word that is followed by a space; -1 when there is none. */
function findWordEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at
  while (i < end && (bytes[i] as number) > space) i++
  return i > at && i < end && bytes[i] === space ? i : -1
}

function skipSpaces(bytes: Uint8Array, at: number, end: number): number {
  let i = at
  while (i < end && bytes[i] === space) i++
  return i
}

/** Returns the end of the structured data: `-`, or elements such as `[id name="value"]`; -1 when there is neither. */
function findDataEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === 0x2d) return at + 1
  let i = at
  while (i < end && bytes[i] === 0x5b) {
    const close = findElementEnd(bytes, i + 1, end)
    if (close === -1) return -1
    i = close + 1
  }
  return i > at ? i : -1
}

function findElementEnd(bytes: Uint8Array, at: number, end: number): number {
  let isQuoted = false
  for (let i = at; i < end; i++) {
    const byte = bytes[i]
    if (byte === 0x5c) i++
    else if (byte === 0x22) isQuoted = !isQuoted
    else if (byte === 0x5d && !isQuoted) return i
  }
  return -1
}
