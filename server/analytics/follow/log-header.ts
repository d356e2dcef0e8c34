import { maxLineBytes } from '../import/line-reader.ts'

const numberSign = 0x23
const lineFeed = 0x0a

/** Maximum size of a file's header. */
export const maxHeaderBytes = maxLineBytes

/**
 * Returns the header lines at the beginning of a file, such as `#Fields:`, which define the columns. A reader that
 * resumes in the middle of the file needs them.
 *
 * @param beginning the first bytes of the file, up to `maxHeaderBytes`
 * @returns complete lines; often empty
 */
export function cutHeader(beginning: Buffer): Buffer {
  let end = 0
  while (beginning[end] === numberSign) {
    const next = beginning.indexOf(lineFeed, end) + 1
    if (next === 0) break
    end = next
  }
  return beginning.subarray(0, end)
}
