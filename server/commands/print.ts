import { escapeControlsInLines } from '../base/escape-controls.ts'
import { drawTable } from './table.ts'

/**
 * Prints rows as JSON, or as a table with the columns of `toRow`, which fit a terminal. Instants (names ending in At) are RFC
 * 3339 in JSON, and minutes in UTC in the table.
 */
export function printRows<Row extends object>(
  rows: readonly Row[],
  { json, empty, toRow = row => row }: { json?: boolean | undefined; empty: string; toRow?: (row: Row) => object },
): void {
  if (json) printJson(rows)
  else if (rows.length === 0) console.log(empty)
  else console.log(drawTable(toCells(rows.map(toRow))))
}

/** Prints the sentence, or with `--json` the object. */
export function printResult(json: boolean | undefined, result: object, sentence: string): void {
  if (json) printJson(result)
  else console.log(escapeControlsInLines(sentence))
}

/** Prints a note to standard error, so that programs that read the result do not see it. */
export function printNote(note: string | undefined): void {
  if (note !== undefined) console.error(note)
}

/** `1,234,567` */
export function showCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 file`, `1,234 files` */
export function showCountOf(count: number, noun: string): string {
  return `${showCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** `2026-11-29 14:30`, in UTC */
export function showInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** Prints JSON; instants become RFC 3339 as in `printRows`. */
export function printJson(value: unknown): void {
  console.log(escapeControlsInLines(JSON.stringify(withDates(value), undefined, 2)))
}

function withDates<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDates) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isInstant(name, inner) ? new Date(inner).toISOString() : withDates(inner),
    ]),
  ) as T
}

function isInstant(name: string, value: unknown): value is number {
  return name.endsWith('At') && typeof value === 'number'
}

/** The headings, and below them the cells. */
function toCells(rows: readonly object[]): string[][] {
  const cells = rows.map(row => Object.entries(row).map(([name, value]) => toCell(name, value)))
  return [Object.keys(rows[0] ?? {}).map(toHeading), ...cells]
}

function toCell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (isInstant(name, value)) return showInstant(value)
  return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `projectId` -> `PROJECT ID`, `createdAt` -> `CREATED (UTC)` */
function toHeading(name: string): string {
  return name
    .replace(/At$/, '(UTC)')
    .replaceAll(/([a-z])([A-Z(])/g, '$1 $2')
    .toUpperCase()
}
