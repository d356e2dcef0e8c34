import { type Statement, statement } from '../statement.ts'

/** An SQL statement of an import or of a deletion, which may take long: it has many rows, or waits for another import. */
export function slowly<Parameters extends object, Row extends object = never>(
  sql: string,
  { isRepeatable = false } = {},
): Statement<Parameters, Row> {
  return statement<Parameters, Row>(sql, { isRepeatable, isSlow: true })
}
