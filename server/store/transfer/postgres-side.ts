import { OperatorError } from '../../base/operator-error.ts'
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { toByteas, toIntegers, toUuids } from '../postgres/visits/binary-arrays.ts'
import { slowly } from '../postgres/visits/slowly.ts'
import { changeVisits, findVisited, type VisitedProject } from '../postgres/visits/visited-projects.ts'
import type { Side, Tables, VisitTables } from './sides.ts'
import {
  type ColumnType,
  nounTables,
  type Row,
  rowsAtATime,
  type TransferTable,
  type Value,
  type VisitState,
} from './tables.ts'

const listColumns = slowly<{ table: string }, { name: string; type: ColumnType }>(
  `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
   WHERE attrelid = @table::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
)
const listVisited = slowly<object, { id: string }>('SELECT project_id AS id FROM visited_projects ORDER BY project_id')
const listPositions = slowly<{ project: number; node: string }, { log: string; position: string }>(
  'SELECT log, position FROM log_positions WHERE project_key = @project AND node = @node ORDER BY log',
)
const insertPosition = slowly<{ project: number; node: string; log: string; position: string }>(
  'INSERT INTO log_positions (project_key, node, log, position) VALUES (@project, @node, @log, @position)',
)
const updateState = slowly<VisitState & { project: number }>(
  `UPDATE visited_projects SET revision = decode(@revision, 'hex'), kept_from = @keptFrom, deleted_before = @keptFrom,
     labelled_from = @labelledFrom WHERE key = @project`,
)
/** SQLite deletes the hashes together with their key. */
const setCleared = slowly<{ project: number }>(
  'UPDATE period_keys SET is_cleared = true WHERE project_key = @project AND destroyed_at IS NOT NULL',
)

const findUncleared = statement<{ project: number }, object>(
  'SELECT 1 FROM period_keys WHERE project_key = @project AND destroyed_at IS NOT NULL AND NOT is_cleared LIMIT 1',
)

/** A transaction is idle while the other store is read and written, which takes minutes for a large table. */
const allowIdle = 'SET LOCAL idle_in_transaction_session_timeout = 0'
/** New rows get numbers after those that were written. */
const continueNumbers = `
  SELECT setval('export_turns', greatest(1, (SELECT max(export_turn) FROM organizations)));
  SELECT setval(pg_get_serial_sequence('audit_events', 'id'), greatest(1, (SELECT max(id) FROM audit_events)));
  SELECT setval(pg_get_serial_sequence('webhook_deliveries', 'number'), greatest(1, (SELECT max(number) FROM webhook_deliveries)))`

/**
 * Opens a PostgreSQL database that no server uses meanwhile.
 *
 * @param node whose positions in followed logs are read and written
 */
export function openPostgresSide(database: Database, name: string, node: string): Side {
  return {
    name,
    async listTables() {
      const tables: TransferTable[] = []
      for (const table of nounTables) {
        const columns = await database.all(listColumns, { table: table.name })
        tables.push({ ...table, columns: columns.map(({ name }) => name), types: columns.map(({ type }) => type) })
      }
      return tables
    },
    withNouns: work =>
      database.atomically(async within => {
        await within.exec(allowIdle)
        return work({ ...openTables(within, 0, node), finish: () => within.exec(continueNumbers) })
      }),
    listVisited: async () => (await database.all(listVisited, {})).map(({ id }) => id),
    withVisits: (projectId, work) =>
      changeVisits(database, projectId, async (within, project) => {
        await within.exec(allowIdle)
        return work(openVisitTables(within, projectId, project, node))
      }),
  }
}

/** @param project 0 = the tables of everything but visits, which have no column for a project */
function openTables(within: Database, project: number, node: string): Tables {
  return {
    read: table => readTable(within, project, table),
    async write(table, rows) {
      await within.run(prepareInsert(table, project), {
        project,
        ...Object.fromEntries(
          table.columns.map((_, i) => [
            `v${i}`,
            toArray(
              rows.map(row => row[i] as Value),
              table,
              i,
            ),
          ]),
        ),
      })
    },
    readPositions: () => within.all(listPositions, { project, node }),
    async writePositions(positions) {
      for (const position of positions) await within.run(insertPosition, { project, node, ...position })
    },
  }
}

function prepareInsert({ name, columns, types }: TransferTable, project: number) {
  const arrays = types.map((type, i) => `@v${i}::${type}[]`).join(', ')
  const names = [...(project === 0 ? [] : ['project_key']), ...columns].join(', ')
  const values = project === 0 ? '*' : '@project::integer, *'
  const overriding = name === 'audit_events' ? 'OVERRIDING SYSTEM VALUE' : ''
  return slowly<Record<string, unknown>>(
    `INSERT INTO ${name} (${names}) ${overriding} SELECT ${values} FROM unnest(${arrays})`,
  )
}

/** The driver writes arrays of texts and of numbers, and those with NULL. */
function toArray(values: readonly Value[], { types }: TransferTable, i: number): unknown {
  if (values.includes(null)) return values
  if (types[i] === 'integer') return toIntegers(values as number[])
  if (types[i] === 'uuid') return toUuids(values as Buffer[])
  return types[i] === 'bytea' ? toByteas(values as Buffer[]) : values
}

async function* readTable(within: Database, project: number, table: TransferTable): AsyncGenerator<readonly Row[]> {
  const { name, columns, types, key } = table
  const places = key.map(column => columns.indexOf(column))
  const after = places.map((place, i) => `@after${i}::${types[place]}`)
  const ofProject = project === 0 ? 'true' : 'project_key = @project'
  const list = (condition: string) =>
    slowly<Record<string, unknown>, Record<string, Value>>(
      `SELECT ${columns.map(quote).join(', ')} FROM ${name} WHERE ${ofProject} AND ${condition}
       ORDER BY ${key.map(quote).join(', ')} LIMIT ${rowsAtATime}`,
    )
  const [first, following] = [list('true'), list(`(${key.map(quote).join(', ')}) > (${after.join(', ')})`)]
  let last: Row | undefined
  do {
    const found: Record<string, Value>[] = await within.all(last ? following : first, {
      project,
      ...Object.fromEntries(places.map((place, i) => [`after${i}`, last?.[place]])),
    })
    const rows = found.map(row => columns.map((column, i) => toValue(row[column] as Value, types[i])))
    if (rows.length > 0) yield rows
    last = rows.length < rowsAtATime ? undefined : rows.at(-1)
  } while (last)
}

function toValue(value: Value, type: ColumnType | undefined): Value {
  return type === 'uuid' && typeof value === 'string' ? Buffer.from(value.replaceAll('-', ''), 'hex') : value
}

/** Some columns have the names of words of SQL. */
function quote(name: string): string {
  return `"${name}"`
}

function openVisitTables(within: Database, projectId: string, project: VisitedProject, node: string): VisitTables {
  const { key } = project
  return {
    ...openTables(within, key, node),
    checkFinished: () => refuseUnfinished(within, projectId, project),
    async readState() {
      const { revision, keptFrom, labelledFrom } = (await findVisited(within, projectId)) as VisitedProject
      return { revision, keptFrom, labelledFrom }
    },
    async writeState(state) {
      await within.run(updateState, { project: key, ...state })
      await within.run(setCleared, { project: key })
    },
  }
}

/** @throws {OperatorError} if a deletion of visitors was interrupted, because SQLite deletes all of them at once. */
async function refuseUnfinished(
  within: Database,
  projectId: string,
  { key: project, keptFrom, deletedBefore }: VisitedProject,
): Promise<void> {
  if (keptFrom <= deletedBefore && !(await within.get(findUncleared, { project }))) return
  throw new OperatorError(
    `A deletion of visitors of ${projectId} was interrupted. Finish it with: npx quire visits prune --project ${projectId}`,
  )
}
