import { createHash } from 'node:crypto'

/** An SQL statement with named parameters, in the form that PostgreSQL takes. */
export interface Statement<Parameters extends object, Row extends object> {
  /** The name under which a connection keeps the prepared statement. */
  name: string
  /** Has `$1`, `$2` and so on. */
  text: string
  /** The names of `$1`, `$2` and so on. */
  order: readonly string[]
  /** Whether it changes nothing: it only reads rows, or also locks them. */
  isRead: boolean
  /** Whether it may run again if it is unknown whether it ran, because a second time changes nothing. */
  isRepeatable: boolean
  /** Whether it may take minutes. Others end after a few seconds, so that clients get their answer. */
  isSlow: boolean
  /** Only for the compiler. */
  types?: (parameters: Parameters) => Row
}

/** @param sql names its parameters as in SQLite: `@id`. */
export function statement<Parameters extends object, Row extends object = never>(
  sql: string,
  { isRepeatable = false, isSlow = false } = {},
): Statement<Parameters, Row> {
  const order: string[] = []
  const text = sql.replaceAll(/@([A-Za-z]\w*)/g, (_, name: string) => {
    if (!order.includes(name)) order.push(name)
    return `$${order.indexOf(name) + 1}`
  })
  const isRead = /^\s*(SELECT|WITH)\b/.test(text) && !/\b(INSERT|(?<!FOR (NO KEY )?)UPDATE|DELETE)\b/.test(text)
  const name = `quire_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return { name, text, order, isRead, isRepeatable: isRead || isRepeatable, isSlow }
}
