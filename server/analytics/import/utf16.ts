/** Number of bytes at the beginning of a log that suffice for `isUtf16`. */
export const utf16SampleBytes = 256

/**
 * Returns whether a log that begins with `head` is UTF-16: it has a byte order mark, or a NUL in every second byte. Tools
 * on Windows write such files, for example a redirection in PowerShell.
 */
export function isUtf16(head: Uint8Array): boolean {
  const mark = ((head[0] ?? 0) << 8) | (head[1] ?? 0)
  if (mark === 0xfffe || mark === 0xfeff) return true
  const length = Math.min(head.length, utf16SampleBytes) & ~1
  if (length < 16) return false
  let evenNuls = 0
  let oddNuls = 0
  for (let i = 0; i < length; i += 2) {
    if (head[i] === 0) evenNuls++
    if (head[i + 1] === 0) oddNuls++
  }
  // Characters outside Latin-1 have no NUL. A hole in a file has NULs in all bytes.
  const enough = (length / 2) * 0.75
  return (oddNuls >= enough && evenNuls === 0) || (evenNuls >= enough && oddNuls === 0)
}

/** Describes a log in UTF-16, with the remedy; `name` is for the message, and `file` for the command. */
export function describeUtf16(name: string, file: string): string {
  const source = file === '-' ? 'FILE' : file
  return `${name} is UTF-16 text. Convert it: iconv -f UTF-16 -t UTF-8 ${source} | npx quire visits import -`
}
