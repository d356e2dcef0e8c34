import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Cell } from '../analytics/report/rows.ts'
import type { Table } from '../analytics/report/tables.ts'
import { toCsvRow } from '../base/csv.ts'

const pieceCharacters = 64 * 1024

/** The formats of `writeTable`. */
export const tableFormats = ['csv', 'json'] as const
export type TableFormat = (typeof tableFormats)[number]

/**
 * Yields the text of a table in pieces: CSV with a row of headings, or a JSON array with an object per row. A piece has many rows,
 * because one write per row is slow.
 */
export async function* writeTable({ columns, parts }: Table, format: TableFormat): AsyncGenerator<string> {
  const { head, toText, end } = format === 'csv' ? toCsv(columns) : toJson(columns)
  let piece = head
  let isFirst = true
  for await (const rows of parts) {
    for (const row of rows) {
      piece += toText(row, isFirst)
      isFirst = false
      if (piece.length < pieceCharacters) continue
      yield piece
      piece = ''
    }
  }
  yield piece + end(isFirst)
}

/** Writes a table to standard output as fast as its reader takes it. */
export async function printTable(table: Table, format: TableFormat): Promise<void> {
  await pipeline(Readable.from(writeTable(table, format)), process.stdout, { end: false })
}

interface TableWriter {
  head: string
  toText(row: readonly Cell[], isFirst: boolean): string
  end(isEmpty: boolean): string
}

function toCsv(columns: readonly string[]): TableWriter {
  return { head: toCsvRow(columns), toText: toCsvRow, end: () => '' }
}

function toJson(columns: readonly string[]): TableWriter {
  return {
    head: '',
    toText: (row, isFirst) =>
      (isFirst ? '[\n' : ',\n') + JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
    end: isEmpty => (isEmpty ? '[]\n' : '\n]\n'),
  }
}
