import { tableHead } from './report.ts'

/** The section of RESULTS.md that a run writes. */
export interface GallerySection {
  /** Rows by site, of this run. */
  rows: ReadonlyMap<string, string>
  /** Rows by site of the first run of sites that nobody has looked at. A row that is there stays. */
  firstRows: ReadonlyMap<string, string>
  /** Reasons for sites that are left out, by name. */
  leftOut: ReadonlyMap<string, string>
  /** Lines about the conditions of the run. */
  conditions: readonly string[]
}

const title = '## Export gallery'
const firstTitle = '### First runs of the unseen sites'

/** Replaces the rows of this run in the text of RESULTS.md. Rows of other sites stay. Adds the section if there is none. */
export function writeSection(text: string, { rows, firstRows, leftOut, conditions }: GallerySection): string {
  const start = text.indexOf(`${title}\n`)
  const next = start < 0 ? -1 : text.indexOf('\n## ', start)
  const before = start < 0 ? `${text.trimEnd()}\n\n` : text.slice(0, start)
  const old = start < 0 ? '' : text.slice(start, next < 0 ? undefined : next + 1)
  const after = next < 0 ? '' : text.slice(next + 1)
  const [current = '', first = ''] = old.split(`${firstTitle}\n`)
  const merged = new Map([...readRows(current), ...rows])
  const mergedFirst = new Map([...firstRows, ...readRows(first)])
  const section = [
    title,
    '',
    ...conditions,
    '',
    ...toTable(merged),
    ...(leftOut.size > 0 ? ['', 'Left out:', '', ...[...leftOut].map(([name, why]) => `- ${name}: ${why}`)] : []),
    ...(mergedFirst.size > 0 ? ['', firstTitle, '', ...toTable(mergedFirst)] : []),
    '',
  ].join('\n')
  return `${before}${section}${after === '' ? '' : `\n${after}`}`
}

function toTable(rows: ReadonlyMap<string, string>): string[] {
  return [...tableHead, ...[...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)]
}

/** Reads the rows of the first table of a text, by the name in their first cell. */
function readRows(text: string): Map<string, string> {
  const lines = text.split('\n').filter(line => line.startsWith('| ') && !tableHead.includes(line))
  return new Map(lines.map(line => [/^\| (\S+)/.exec(line)?.[1] ?? '', line]))
}
