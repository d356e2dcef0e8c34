export type CsvCell = string | number

/**
 * Formats a row of a CSV file (RFC 4180), with its line break.
 *
 * Spreadsheet programs run a text that begins with `=`, `+`, `-`, `@`, a tab or a line break as a formula. Such a text gets an
 * apostrophe in front (https://owasp.org/www-community/attacks/CSV_Injection). Numbers stay numbers.
 */
export function toCsvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell)
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
