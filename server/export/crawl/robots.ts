import robotsParser from 'robots-parser'

/** Max characters read of robots.txt (RFC 9309 requires at least 500 KiB). Every rule costs time for every address. */
const maxCharacters = 512 * 1024
const maxLineLength = 2000

/** The robots-parser types describe an ES module; the package is CommonJS and exports the function itself. */
export const parseRobots = robotsParser as unknown as typeof robotsParser.default

/** Cuts a robots.txt to its first lines, and drops lines that are too long. */
export function boundRobots(text: string): string {
  if (text.length <= maxLineLength) return text
  const lines = text.slice(0, maxCharacters).split(/\r\n|\r|\n/)
  if (text.length > maxCharacters) lines.pop()
  return lines.filter(line => line.length <= maxLineLength).join('\n')
}
