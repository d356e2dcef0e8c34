import { wrapText } from './table.ts'

/** One row: a name, its texts and counts, and the value of its bar. */
export interface BarRow {
  name: string
  cells: readonly string[]
  value: number
  /** The part of the value that the end of the bar shows in a lighter shade; default 0. */
  shaded?: number
}

export interface BarHeadings {
  name: string
  cells: readonly string[]
  /** Default: none. */
  bars?: string
}

const gap = '  '
const minName = 12
const maxBar = 60
/** A narrower bar shows nothing. */
const minBar = 6
const blocks = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * Draws rows with bars of block characters that fit the width. Counts are right-aligned, texts are left-aligned. The longest bar has the largest value
 * of the rows. Names that are too long continue on the next line.
 *
 * @param headings of the name and of the cells, and of the bars
 */
export function drawBars(
  { name: nameHeading, cells: cellHeadings, bars = '' }: BarHeadings,
  rows: readonly BarRow[],
  width: number,
): string {
  const cellWidths = cellHeadings.map((heading, i) => maxLength([heading, ...rows.map(({ cells }) => cells[i] ?? '')]))
  const room = width - cellWidths.reduce((sum, cellWidth) => sum + cellWidth + gap.length, 0)
  const longestName = maxLength([nameHeading, ...rows.map(({ name }) => name)])
  const nameWidth = Math.max(minName, Math.min(longestName, Math.max(Math.floor(room / 2), room - maxBar - gap.length)))
  const barWidth = Math.min(maxBar, room - nameWidth - gap.length)
  const largest = Math.max(...rows.map(({ value }) => value), 1)
  const areCounts = cellHeadings.map((_, i) => rows.every(({ cells }) => /^[\d,]*$/.test(cells[i] ?? '')))
  const align = (cell: string, i: number) =>
    areCounts[i] ? cell.padStart(cellWidths[i] ?? 0) : cell.padEnd(cellWidths[i] ?? 0)
  const drawLine = (name: string, cells: readonly string[], bar: string) =>
    [name.padEnd(nameWidth), ...cells.map(align), bar].join(gap).trimEnd()
  const lines = rows.flatMap(({ name, cells, value, shaded = 0 }) => {
    const [first = '', ...more] = wrapText(name, nameWidth)
    return [
      drawLine(first, cells, barWidth < minBar ? '' : drawBar(value / largest, barWidth, shaded / largest)),
      ...more,
    ]
  })
  return [drawLine(nameHeading, cellHeadings, barWidth < bars.length ? '' : bars), ...lines].join('\n')
}

/**
 * Draws a share from 0 to 1. Only 0 has no bar.
 *
 * @param shaded the part of the share that the end of the bar shows in a lighter shade. Without it, the bar ends with an
 * eighth of a character; with it, with a whole one.
 */
export function drawBar(share: number, width: number, shaded = 0): string {
  if (shaded > 0) {
    const length = Math.max(1, Math.round(share * width))
    // Split in proportion, so that a bar of one character has the shade of the larger part.
    const solid = Math.round(length * (1 - shaded / share))
    return '█'.repeat(solid) + '░'.repeat(length - solid)
  }
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * width * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + blocks[eighths % 8]
}

function maxLength(texts: readonly string[]): number {
  return Math.max(...texts.map(text => text.length))
}
