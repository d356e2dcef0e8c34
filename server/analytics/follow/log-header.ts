import { longestLineBytes } from '../import/line-splitter.ts'

const numberSign = 0x23
const lineFeed = 0x0a

/** How much of the beginning of a file may be its header: all of it are lines that could be read. */
export const maxHeaderBytes = longestLineBytes

/**
 * The lines with which a file begins and that say how those below them are to be read, such as `#Fields:`: whoever goes on in
 * the middle of the file needs them too.
 *
 * @param beginning of the file, up to `maxHeaderBytes`
 * @returns whole lines, often none
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
