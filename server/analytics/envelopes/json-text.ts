const quote = 0x22
const backslash = 0x5c

const escapes = new Map([
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x62, 0x08],
  [0x66, 0x0c],
])

/** Decodes the string of a JSON value into a buffer, without creating a string. The buffer is reused by the next call. */
export class JsonText {
  /** No text is longer than its line, which has at most 64 KiB. */
  readonly bytes = Buffer.allocUnsafe(64 * 1024)
  length = 0

  /**
   * Decodes the string whose content begins at `start`.
   *
   * @returns the position after the closing quote; -1 when the string is not closed or not valid
   */
  decode(bytes: Buffer, start: number, end: number): number {
    let at = 0
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number
      if (byte === quote) {
        this.length = at
        return i + 1
      }
      if (byte !== backslash) {
        this.bytes[at++] = byte
        continue
      }
      const next = bytes[++i] as number
      if (next === 0x75) {
        const length = this.#writeCode(bytes, i + 1, at)
        if (length === -1) return -1
        at += length
        // A pair of surrogates has two escapes.
        i += length === 4 ? 10 : 4
      } else this.bytes[at++] = escapes.get(next) ?? next
    }
    return -1
  }

  /** Writes the character of `\uXXXX` as UTF-8, and returns its length; -1 when the digits are not valid. */
  #writeCode(bytes: Buffer, digits: number, at: number): number {
    const first = Number.parseInt(bytes.toString('latin1', digits, digits + 4), 16)
    if (Number.isNaN(first)) return -1
    const isPair = first >= 0xd800 && first <= 0xdbff && bytes[digits + 4] === backslash && bytes[digits + 5] === 0x75
    const second = isPair ? Number.parseInt(bytes.toString('latin1', digits + 6, digits + 10), 16) : Number.NaN
    const text = second >= 0xdc00 && second <= 0xdfff ? String.fromCharCode(first, second) : String.fromCharCode(first)
    return this.bytes.write(text, at, 'utf8')
  }
}
