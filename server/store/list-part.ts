import type { Database } from 'better-sqlite3'
import type { Listed, ListPart } from '../tenancy/list-part.ts'
import { all, get, type Statement, type Work } from './noun.ts'
import { statement } from './postgres/statement.ts'

type Parameters = { owner: string | null; contains: string }

/**
 * Prepares the reading of a part of a list.
 *
 * @param options.from table, with what it is joined with
 * @param options.where condition with `@owner`
 * @param options.searched expression in which the text of `ListPart.contains` is looked for
 */
export function listInParts<Row extends object>(options: {
  columns: string
  from: string
  where: string
  searched: string
  order: string
}): (owner: string | null, part: ListPart) => Work<Listed<Row>> {
  const { columns, from, where, searched, order } = options
  // In the order of bytes, `lower` would leave letters with accents as they are.
  const folded = `lower(normalize(${searched}, NFC) COLLATE "und-x-icu")`
  const both = <P extends object, R extends object>(head: string, tail: string): Statement<P, R> => ({
    sqlite: `${head} FROM ${from} WHERE (${where}) AND (@contains = '' OR instr(fold_case(${searched}), @contains) > 0) ${tail}`,
    postgres: statement(
      `${head} FROM ${from} WHERE (${where}) AND (@contains::text = '' OR strpos(${folded}, @contains) > 0) ${tail}`,
    ),
  })
  const count = both<Parameters, { rows: number }>('SELECT count(*) AS rows', '')
  const list = both<Parameters & Pick<ListPart, 'limit' | 'offset'>, Row>(
    `SELECT ${columns}`,
    `ORDER BY ${order} LIMIT @limit OFFSET @offset`,
  )
  return function* (owner, { limit, offset, ...part }) {
    const contains = foldCase(part.contains)
    const rows = yield* all(list, { owner, contains, limit, offset })
    return { rows, count: (yield* get(count, { owner, contains }))?.rows ?? 0 }
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
