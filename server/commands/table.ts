import { escapeControls } from '../base/escape-controls.ts'

/** Width of texts when standard output is not a terminal. */
const usualWidth = 80
const minWidth = 40
const minColumn = 6
const gap = '  '

/** The width of the terminal in characters, or that of COLUMNS; 80 if there is neither. */
export function outputWidth(): number {
  return Math.max(minWidth, process.stdout.columns ?? givenWidth() ?? usualWidth)
}

/** The width of a table. Without a terminal, a row is one line, so that `grep` finds it whole. */
function tableWidth(): number {
  return process.stdout.isTTY ? outputWidth() : Math.max(minWidth, givenWidth() ?? Number.POSITIVE_INFINITY)
}

function givenWidth(): number | undefined {
  const columns = Number(process.env.COLUMNS)
  return Number.isInteger(columns) && columns > 0 ? columns : undefined
}

/**
 * Draws rows of cells as aligned columns that fit the width. Long cells continue on the next line, first at spaces and behind
 * the signs of addresses. Nothing is cut off, except that columns never get narrower than 6 characters. Control characters are
 * escaped.
 */
export function drawTable(rows: readonly (readonly string[])[], width = tableWidth()): string {
  const shown = rows.map(row => row.map(escapeControls))
  const widths = fitColumns(shown, width)
  return shown.flatMap(row => drawRow(row, widths)).join('\n')
}

/** Draws names with their texts; a long text continues below its beginning. */
export function drawPairs(pairs: readonly (readonly [string, string])[], width = outputWidth()): string {
  const nameWidth = Math.max(...pairs.map(([name]) => name.length))
  return pairs
    .flatMap(([name, text]) =>
      drawRow([name, escapeControls(text)], [nameWidth, Math.max(minColumn, width - nameWidth - gap.length)]),
    )
    .join('\n')
}

/** Splits a text into lines of at most `width` characters: at spaces, behind the signs of addresses, else anywhere. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of pieces(text)) {
    if (line !== '' && (line + piece).trimEnd().length > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += piece
    for (; line.trimEnd().length > width; line = line.slice(width)) lines.push(line.slice(0, width))
  }
  return [...lines, line.trimEnd()]
}

/** Parts of a text that stay together; the sign or the space behind a part belongs to it. */
function pieces(text: string): string[] {
  return text.match(/[^\s/.,?&]*[\s/.,?&]+|[^\s/.,?&]+/g) ?? []
}

/** Narrows the widest columns, until the table fits: first to the longest part that should stay together. */
function fitColumns(rows: readonly (readonly string[])[], width: number): number[] {
  const columns = (rows[0] ?? []).map((_, index) => rows.map(row => row[index] ?? ''))
  const widths = columns.map(cells => Math.max(...cells.map(cell => cell.length)))
  const longestParts = columns.map(cells =>
    Math.max(...cells.flatMap(cell => pieces(cell).map(piece => piece.trimEnd().length)), minColumn),
  )
  const room = width - gap.length * (widths.length - 1)
  for (const floors of [longestParts, widths.map(() => minColumn)]) {
    while (sum(widths) > room) {
      const spare = widths.map((columnWidth, index) => (columnWidth > (floors[index] ?? 0) ? columnWidth : 0))
      const widest = spare.indexOf(Math.max(...spare))
      if (spare[widest] === 0) break
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  }
  return widths
}

function drawRow(row: readonly string[], widths: readonly number[]): string[] {
  const cells = row.map((cell, index) => wrapText(cell, widths[index] ?? cell.length))
  const height = Math.max(...cells.map(lines => lines.length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, index) => (lines[line] ?? '').padEnd(widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
