import { createHash } from 'node:crypto'
import type { LogPosition } from '../../analytics/unique-visitors.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Row, TransferTable, VisitState } from './tables.ts'

/** The tables of one place: those of everything but visits, or those of the visits of a project. */
export interface Tables {
  /** Reads a table in the order of its key, in parts. */
  read(table: TransferTable): Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>
  write(table: TransferTable, rows: readonly Row[]): Awaitable<void>
  readPositions(): Awaitable<LogPosition[]>
  writePositions(positions: readonly LogPosition[]): Awaitable<void>
  /** Called after all tables were written. */
  finish?(): Awaitable<void>
}

export interface VisitTables extends Tables {
  /** @throws {OperatorError} if a deletion of visitors was interrupted, so that rows are left that the other store must not have. */
  checkFinished?(): Awaitable<void>
  readState(): Awaitable<VisitState>
  writeState(state: VisitState): Awaitable<void>
}

/** A store that rows are copied from or to. */
export interface Side {
  /** How messages name it. */
  name: string
  /** The tables with the columns that this side has. */
  listTables(): Awaitable<TransferTable[]>
  /** Runs work on the tables of everything but visits, in one transaction. */
  withNouns<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /** Lists the projects that had visits. */
  listVisited(): Awaitable<string[]>
  /** Runs work on the visits of a project, in one transaction. */
  withVisits<T>(projectId: string, work: (tables: VisitTables) => Promise<T>): Promise<T>
}

/** What a table holds. */
export interface TableContent {
  rows: number
  sha256: string
}

export async function measure(tables: Tables, table: TransferTable): Promise<TableContent> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const part of tables.read(table)) {
    for (const row of part) hash.update(`${JSON.stringify(row.map(toText))}\n`)
    rows += part.length
  }
  return { rows, sha256: hash.digest('hex') }
}

function toText(value: Row[number]): string | number | null {
  return Buffer.isBuffer(value) ? value.toString('base64') : value
}
