import { readDigits } from '../formats/log-date.ts'

const dash = 0x2d
const colon = 0x3a

/**
 * Returns the end of an RFC 3339 time such as `2026-11-20T10:11:12.123456+00:00` at `start`; -1 when there is none. The time
 * is not converted, because the line inside the envelope has its own.
 */
export function findIsoTimeEnd(bytes: Uint8Array, start: number, end: number): number {
  const isTime =
    start + 'YYYY-MM-DDThh:mm:ssZ'.length <= end &&
    isNumber(bytes, start, 4) &&
    bytes[start + 4] === dash &&
    isNumber(bytes, start + 5, 2) &&
    bytes[start + 7] === dash &&
    isNumber(bytes, start + 8, 2) &&
    bytes[start + 10] === 0x54 &&
    isClockTime(bytes, start + 11)
  return isTime ? findOffsetEnd(bytes, skipFraction(bytes, start + 19, end), end) : -1
}

/** Returns whether `hh:mm:ss` begins at `at`. */
export function isClockTime(bytes: Uint8Array, at: number): boolean {
  return (
    isNumber(bytes, at, 2) &&
    bytes[at + 2] === colon &&
    isNumber(bytes, at + 3, 2) &&
    bytes[at + 5] === colon &&
    isNumber(bytes, at + 6, 2)
  )
}

function isNumber(bytes: Uint8Array, at: number, count: number): boolean {
  return !Number.isNaN(readDigits(bytes, at, count))
}

function skipFraction(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== 0x2e && bytes[at] !== 0x2c) return at
  let i = at + 1
  while (i < end && isDigit(bytes[i] as number)) i++
  return i
}

/** Returns the end of `Z`, `+01:00` or `+0100` at `at`; -1 when there is none. */
function findOffsetEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === 0x5a) return at + 1
  if (bytes[at] !== 0x2b && bytes[at] !== dash) return -1
  const minutes = bytes[at + 3] === colon ? at + 4 : at + 3
  return isNumber(bytes, at + 1, 2) && isNumber(bytes, minutes, 2) && minutes + 2 <= end ? minutes + 2 : -1
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
