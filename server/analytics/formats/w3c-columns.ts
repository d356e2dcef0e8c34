import { LogFormatError } from './log-format.ts'

/** Positions of the columns, from 0; infinity = the log does not have the column. */
export interface W3cColumns {
  /** The number of columns of a line. */
  count: number
  date: number
  time: number
  address: number
  method: number
  path: number
  query: number
  status: number
  userAgent: number
  referrer: number
  accept: number
  /** In a CloudFront log, the host that the client requested; `cs(Host)` is the host of the distribution. */
  host: number
  client: number
  /** Names of the needed columns that the log does not have. */
  missing: readonly string[]
}

const none = Number.POSITIVE_INFINITY

/**
 * Finds the columns in the list of `#Fields:`.
 *
 * @throws {LogFormatError} when `mustHaveClient` is set and the log does not have the client field.
 */
export function findW3cColumns(list: string, clientField: string | undefined, mustHaveClient: boolean): W3cColumns {
  const names = list
    .trim()
    .toLowerCase()
    .split(/[ \t]+/)
  const missing: string[] = []
  const find = (...wanted: string[]) => {
    const found = wanted.map(name => names.indexOf(name.toLowerCase())).find(column => column !== -1)
    return found ?? none
  }
  const need = (...wanted: [string, ...string[]]) => {
    const column = find(...wanted)
    if (column === none) missing.push(wanted[0])
    return column
  }
  const client = clientField === undefined ? none : find(clientField, `cs(${clientField})`)
  if (mustHaveClient && clientField !== undefined && client === none) {
    throw new LogFormatError(
      `${clientField} is not a column of this log. Its columns are ${list.trim()}.`,
      'client-field',
    )
  }
  return {
    count: names.length,
    date: need('date'),
    time: need('time'),
    address: need('c-ip'),
    method: need('cs-method'),
    path: need('cs-uri-stem', 'cs-uri'),
    query: find('cs-uri-query'),
    status: need('sc-status'),
    userAgent: need('cs(User-Agent)'),
    referrer: find('cs(Referer)', 'cs(Referrer)'),
    accept: find('cs(Accept)'),
    host: find('x-host-header', 'cs-host', 'cs(Host)'),
    client,
    missing,
  }
}
