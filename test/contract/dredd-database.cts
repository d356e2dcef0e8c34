// Runs inside Dredd. Changes the database of the server as another program does: SQLite in a data folder, or PostgreSQL.
const { join } = require('node:path')
const Database = require('better-sqlite3')
const pg = require('pg')

type State = Pick<import('./dredd-state.ts').DreddState, 'dataFolder' | 'projectId' | 'database'>

interface Changes {
  /** Spends all requests of an organization. */
  spendBudget(projectId: string): Promise<void>
  renameTable(from: string, to: string): Promise<void>
  /** Keeps the server from writing for longer than it waits. */
  lock(): Promise<void>
  unlock(): Promise<void>
}

const byProject = (project: string) => `(SELECT organization_id FROM projects WHERE id = '${project}')`

exports.openChanges = (state: State): Changes =>
  state.database === undefined ? onSqlite(state) : onPostgres(state.database)

function onSqlite({ dataFolder, projectId }: State): Changes {
  function run(sql: string, file = 'quire.db'): void {
    const database = new Database(join(dataFolder, file))
    database.pragma('busy_timeout = 5000')
    database.pragma('legacy_alter_table = ON') // keeps references to the table unchanged
    database.exec(sql)
    database.close()
  }
  let locked: import('better-sqlite3').Database | undefined
  return {
    async spendBudget(project) {
      run(`UPDATE rate_limits SET instants = '${JSON.stringify(Array(100).fill(Date.now()))}'
        WHERE budget <> 'visits' AND organization_id = ${byProject(project)}`)
    },
    async renameTable(from, to) {
      const isOfVisits = from.startsWith('day_counters')
      run(`ALTER TABLE ${from} RENAME TO ${to}`, isOfVisits ? join('visits', `${projectId}.db`) : undefined)
    },
    async lock() {
      locked = new Database(join(dataFolder, 'quire.db')) as import('better-sqlite3').Database
      locked.exec('BEGIN EXCLUSIVE')
    },
    async unlock() {
      locked?.exec('ROLLBACK')
      locked?.close()
    },
  }
}

function onPostgres(connectionString: string): Changes {
  const open = async (): Promise<import('pg').Client> => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    return client
  }
  async function run(sql: string): Promise<void> {
    const client = await open()
    await client.query(sql)
    await client.end()
  }
  let locked: import('pg').Client | undefined
  return {
    spendBudget: project =>
      run(`UPDATE rate_limits SET instants = array_fill(now_ms(), ARRAY[100])
        WHERE budget <> 'visits' AND organization_id = ${byProject(project)}`),
    renameTable: (from, to) => run(`ALTER TABLE ${from} RENAME TO ${to}`),
    async lock() {
      locked = await open()
      // Reads go on, as in SQLite.
      await locked.query(
        'BEGIN; LOCK TABLE ' +
          'agent_jobs, agent_runs, agent_events, export_jobs, idempotency_keys, audit_events, rate_limits, webhooks, webhook_deliveries IN SHARE MODE',
      )
    },
    async unlock() {
      await locked?.end()
    },
  }
}
