import type { PageVisitors } from './unique-visitors.ts'

/** The first line of a CSV of pages (RFC 4180): the names of the columns. */
export const csvHead = 'path,human,ai,total\r\n'

/** Writes the line of a page in a CSV (RFC 4180). */
export function toCsvLine({ path, human, ai, total }: PageVisitors): string {
  return `${quote(path)},${human},${ai},${total}\r\n`
}

/** Quotes a path that contains a separator. A path has only printable ASCII characters, so it has no line break. */
function quote(path: string): string {
  return /[",]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path
}
