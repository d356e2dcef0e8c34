import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Table } from '../analytics/report/tables.ts'
import { toCsvRow } from '../base/csv.ts'

const chunkCharacters = 64 * 1024

/** The formats of `writeTable`. */
export const tableFormats = ['csv', 'json'] as const
export type TableFormat = (typeof tableFormats)[number]

/** Yields the text of a table in pieces: CSV with a row of headings, or a JSON array with an object per row. */
export function writeTable(table: Table, format: TableFormat): Generator<string> {
  return inChunks(format === 'csv' ? writeCsv(table) : writeJson(table))
}

/** Writes a table to standard output as fast as its reader takes it. */
export async function printTable(table: Table, format: TableFormat): Promise<void> {
  await pipeline(Readable.from(writeTable(table, format)), process.stdout, { end: false })
}

function* writeCsv({ columns, rows }: Table): Generator<string> {
  yield toCsvRow(columns)
  for (const row of rows) yield toCsvRow(row)
}

function* writeJson({ columns, rows }: Table): Generator<string> {
  let before = '[\n'
  for (const row of rows) {
    yield before + JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i]])))
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

/** Joins rows, because one write per row is slow. */
function* inChunks(texts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < chunkCharacters) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
