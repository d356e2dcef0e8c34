const space = 0x20
const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Splits a line into fields separated by spaces. A field in quotes may contain spaces, and a field in brackets, such as a
 * date, counts as one. The positions are without the quotes and brackets.
 */
export class WordReader {
  /** Start and end of each field. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array

  /** @param maxWords more fields are ignored */
  constructor(maxWords: number) {
    this.starts = new Uint32Array(maxWords)
    this.ends = new Uint32Array(maxWords)
  }

  /** Returns the number of fields; 0 when a quote or a bracket is not closed, so that a truncated line is not read. */
  read(bytes: Buffer, start: number, end: number): number {
    let count = 0
    let at = start
    while (at < end && count < this.starts.length) {
      const byte = bytes[at]
      // A bracket may also begin an IPv6 address with a port.
      const bracketEnd = byte === openBracket ? findByte(bytes, closeBracket, at, end) : end
      const isDate = bracketEnd < end && (bracketEnd + 1 === end || bytes[bracketEnd + 1] === space)
      const isQuoted = byte === quote
      const from = isQuoted || isDate ? at + 1 : at
      const wordEnd = isQuoted ? findClosing(bytes, from, end) : findByte(bytes, space, from, end)
      const to = isDate ? bracketEnd : wordEnd
      if (isQuoted && to === end) return 0
      this.starts[count] = from
      this.ends[count] = to
      count++
      at = isQuoted || isDate ? to + 2 : to + 1
    }
    return count
  }
}

/** Returns the end of a quoted field. A quote inside it is escaped, or not followed by a space. */
function findClosing(bytes: Buffer, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    if (bytes[i] === backslash) i++
    else if (bytes[i] === quote && (i + 1 === end || bytes[i + 1] === space)) return i
  }
  return end
}

function findByte(bytes: Buffer, wanted: number, from: number, end: number): number {
  for (let i = from; i < end; i++) if (bytes[i] === wanted) return i
  return end
}
