/** Prints rows as a table or as JSON. Instants (names ending in At) become RFC 3339. */
export function printRows(
  rows: readonly object[],
  { json, empty }: { json?: boolean | undefined; empty: string },
): void {
  if (json) printJson(rows)
  else if (rows.length === 0) console.log(empty)
  else printTable(rows)
}

function printTable(rows: readonly object[]): void {
  const readable = rows.map(row =>
    Object.entries(withDates(row)).map(([name, value]) => [name, toCell(value)] as const),
  )
  const names = readable[0]?.map(([name]) => name) ?? []
  const table = [names.map(toHeading), ...readable.map(row => row.map(([, cell]) => cell))]
  const widths = names.map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** `1,234,567` */
export function showCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** Prints JSON; instants become RFC 3339 as in `printRows`. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(withDates(value), undefined, 2))
}

function withDates<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDates) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name.endsWith('At') && typeof inner === 'number' ? new Date(inner).toISOString() : withDates(inner),
    ]),
  ) as T
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** createdAt -> CREATED AT */
function toHeading(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toUpperCase()
}
