import type { Listed, ListPart } from '../../tenancy/list-part.ts'
import { foldCase } from '../list-part.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

type Parameters = { owner: string | null; contains: string }

/**
 * Prepares the reading of a part of a list, like `prepareListPart` of SQLite.
 *
 * @param options.from table, with what it is joined with
 * @param options.where condition with `@owner`
 * @param options.searched expression in which the text of `ListPart.contains` is looked for
 */
export function prepareListPart<Row extends object>(options: {
  columns: string
  from: string
  where: string
  searched: string
  order: string
}): (database: Database, owner: string | null, part: ListPart) => Promise<Listed<Row>> {
  const { columns, from, where, searched, order } = options
  // The same as `foldCase`. In the order of bytes, `lower` would leave letters with accents as they are.
  const folded = `lower(normalize(${searched}, NFC) COLLATE "und-x-icu")`
  const rows = `FROM ${from} WHERE (${where}) AND (@contains::text = '' OR strpos(${folded}, @contains) > 0)`
  const count = statement<Parameters, { rows: number }>(`SELECT count(*) AS rows ${rows}`)
  const list = statement<Parameters & Pick<ListPart, 'limit' | 'offset'>, Row>(
    `SELECT ${columns} ${rows} ORDER BY ${order} LIMIT @limit OFFSET @offset`,
  )
  return async (database, owner, { limit, offset, ...part }) => {
    const contains = foldCase(part.contains)
    return {
      rows: await database.all(list, { owner, contains, limit, offset }),
      count: (await database.get(count, { owner, contains }))?.rows ?? 0,
    }
  }
}
