import robotsParser from 'robots-parser'

/** The part of a robots.txt that is read: whole lines, none of them endless. */
export function boundRobots(text: string): string {
  if (text.length <= robotsLine) return text
  const lines = text.slice(0, robotsCharacters).split(/\r\n|\r|\n/)
  if (text.length > robotsCharacters) lines.pop()
  return lines.filter(line => line.length <= robotsLine).join('\n')
}

/** The robots-parser types describe an ES module; the package is CommonJS and exports the function itself. */
export const parseRobots = robotsParser as unknown as typeof robotsParser.default
/** Of robots.txt this much counts (RFC 9309 asks for 500 KiB at least); every rule costs time for every address. */
export const robotsCharacters = 512 * 1024
export const robotsLine = 2000
