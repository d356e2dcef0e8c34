import type { Database } from 'better-sqlite3'
import type { Listed, ListPart } from '../tenancy/list-part.ts'

/**
 * Prepares the reading of a part of a list.
 *
 * @param options.from table, with what it is joined with
 * @param options.where condition with `@owner`
 * @param options.searched expression in which the text of `ListPart.contains` is looked for
 */
export function prepareListPart<Row>(
  database: Database,
  options: { columns: string; from: string; where: string; searched: string; order: string },
): (owner: string | null, part: ListPart) => Listed<Row> {
  const { columns, from, where, searched, order } = options
  const rows = `FROM ${from} WHERE (${where}) AND (@contains = '' OR instr(fold_case(${searched}), @contains) > 0)`
  const count = database.prepare<{ owner: string | null; contains: string }, { rows: number }>(
    `SELECT count(*) AS rows ${rows}`,
  )
  const list = database.prepare<ListPart & { owner: string | null }, Row>(
    `SELECT ${columns} ${rows} ORDER BY ${order} LIMIT @limit OFFSET @offset`,
  )
  return (owner, { limit, offset, ...part }) => {
    const contains = foldCase(part.contains)
    return {
      rows: list.all({ owner, contains, limit, offset }),
      count: count.get({ owner, contains })?.rows ?? 0,
    }
  }
}

/** Adds `fold_case` to a connection; `lower` of SQLite leaves letters with accents as they are. */
export function addFoldCase(database: Database): void {
  database.function('fold_case', { deterministic: true }, foldCase)
}

/** The form in which texts are compared that people search for. */
export function foldCase(text: unknown): string {
  return String(text).normalize('NFC').toLowerCase()
}
