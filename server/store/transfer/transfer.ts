import { OperatorError } from '../../base/operator-error.ts'
import { measure, type Side, type Tables, type VisitTables } from './sides.ts'
import { type TransferTable, visitTables } from './tables.ts'

/** The number of rows of each table, which both sides have now. */
export type TransferredRows = Record<string, number>

export interface Transferred {
  tables: TransferredRows
  projects: { projectId: string; tables: TransferredRows }[]
}

/**
 * Copies everything from one store to another, and compares each table afterwards. Everything but visits is copied in one transaction, and
 * then the visits of each project. What an interrupted call has copied is compared, and not copied again.
 *
 * @throws {OperatorError} if the other store has different data.
 */
export async function transfer(from: Side, to: Side, onProgress: (text: string) => void): Promise<Transferred> {
  const tables = findCommon(await from.listTables(), await to.listTables())
  onProgress('Copying everything but visits ...')
  const nouns = await from.withNouns(source => to.withNouns(target => transferNouns(tables, source, target, to)))
  const projects: Transferred['projects'] = []
  const ids = await from.listVisited()
  for (const [i, projectId] of ids.entries()) {
    onProgress(`Copying the visits of ${projectId}, ${i + 1} of ${ids.length} ...`)
    const rows = await from.withVisits(projectId, source =>
      to.withVisits(projectId, target => transferVisits(projectId, source, target, to)),
    )
    projects.push({ projectId, tables: rows })
  }
  return { tables: nouns, projects }
}

/** Returns the tables with the columns that both sides have, with the types of PostgreSQL. */
function findCommon(some: readonly TransferTable[], others: readonly TransferTable[]): TransferTable[] {
  return some.map((table, at) => {
    const other = others[at] as TransferTable
    const columns = table.columns.filter(column => other.columns.includes(column))
    const typesOf = ({ columns: all, types }: TransferTable) => columns.map(column => types[all.indexOf(column)])
    const [types, otherTypes] = [typesOf(table), typesOf(other)]
    // SQLite has no other type for a number than bigint, which is enough to read and write it there.
    const widest = types.map((type, i) => (type === 'bigint' || type === undefined ? otherTypes[i] : type))
    return { ...table, columns, types: widest as TransferTable['types'] }
  })
}

async function transferNouns(
  tables: readonly TransferTable[],
  source: Tables,
  target: Tables,
  to: Side,
): Promise<TransferredRows> {
  if (await isEmpty(target, tables)) {
    for (const table of tables) await copy(table, source, target)
    await target.writePositions(await source.readPositions())
    await target.finish?.()
  }
  return compare(tables, source, target, to.name)
}

async function transferVisits(
  projectId: string,
  source: VisitTables,
  target: VisitTables,
  to: Side,
): Promise<TransferredRows> {
  await source.checkFinished?.()
  const state = await source.readState()
  const place = `${to.name}, ${projectId}`
  // A revision never comes back, and it is written with the rows.
  if ((await target.readState()).revision !== state.revision) {
    if (!(await isEmpty(target, visitTables))) throw refuse(place)
    for (const table of visitTables) await copy(table, source, target)
    await target.writePositions(await source.readPositions())
    await target.writeState(state)
  }
  return compare(visitTables, source, target, place)
}

async function isEmpty(target: Tables, tables: readonly TransferTable[]): Promise<boolean> {
  for (const table of tables) {
    for await (const rows of target.read(table)) if (rows.length > 0) return false
  }
  return true
}

async function copy(table: TransferTable, source: Tables, target: Tables): Promise<void> {
  for await (const rows of source.read(table)) await target.write(table, rows)
}

/** @throws {OperatorError} if a table differs. */
async function compare(
  tables: readonly TransferTable[],
  source: Tables,
  target: Tables,
  place: string,
): Promise<TransferredRows> {
  const found: TransferredRows = {}
  for (const table of tables) {
    const [want, got] = [await measure(source, table), await measure(target, table)]
    if (got.sha256 !== want.sha256) throw refuse(`${place}, table ${table.name}`)
    found[table.name] = got.rows
  }
  return found
}

function refuse(place: string): OperatorError {
  return new OperatorError(
    `${place}: there is other data than in the store to copy from. Give a new database or folder. If a server changed the data ` +
      'after an earlier call, stop all servers.',
  )
}
