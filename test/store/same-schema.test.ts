import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../server/store/database.ts'
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { schemaFolders } from '../../server/store/schema-versions.ts'
import { openStore } from '../../server/store/store.ts'
import { nounTables, visitTables } from '../../server/store/transfer/tables.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'

/** What only one of the databases has: tables, and lines as in `Schema`. */
const intended: readonly { why: string; sqlite?: readonly string[]; postgres?: readonly string[] }[] = [
  {
    why: 'The versions of its schema, and what several servers must agree on. SQLite has a pragma and the files in the data folder.',
    postgres: ['schema_version', 'link_key', 'visitor_secret'],
  },
  {
    why: 'The file of a project has these as single rows. The first version of it had a row of `seen` for each day.',
    sqlite: ['revision', 'kept', 'labelled', 'seen'],
    postgres: ['visited_projects'],
  },
  {
    why: 'Visits were once in the main database, under a number of the project. They are in files, whose loss is noticed.',
    sqlite: [
      'projects: key integer NOT NULL',
      'projects: PRIMARY KEY (key)',
      'projects: UNIQUE (id)',
      'projects: has_visits integer',
      'projects: CHECK ((has_visits = ANY (ARRAY[0, 1])))',
    ],
    postgres: ['projects: PRIMARY KEY (id)'],
  },
  {
    why: 'An index of PostgreSQL cannot have a long path, and a label is looked up among few. SQLite numbers rows from 1.',
    sqlite: ['pages: UNIQUE (path)', 'labels: UNIQUE (label)'],
    postgres: ['pages: CHECK ((number > 0))', 'labels: CHECK ((number > 0))'],
  },
  {
    why: 'The smallest type of 16 bytes.',
    sqlite: ['seen_rows: visitor bytea NOT NULL', 'seen_rows: CHECK ((length(visitor) = 16))'],
    postgres: ['seen_rows: visitor uuid NOT NULL'],
  },
  {
    why: 'SQLite deletes the hashes together with their key; PostgreSQL in several transactions.',
    postgres: ['period_keys: is_cleared boolean NOT NULL DEFAULT false'],
  },
  {
    why: 'Each node reads its own logs.',
    sqlite: ['log_positions: PRIMARY KEY (log)'],
    postgres: ['log_positions: node text NOT NULL', 'log_positions: PRIMARY KEY (node, log)'],
  },
  {
    why: 'SQLite has no lists. Nodes of an earlier version use the other columns.',
    sqlite: ['rate_limits: instants text NOT NULL', "rate_limits: CHECK ((json_type(instants) = 'array'::text))"],
    postgres: [
      "rate_limits: instants integer[] NOT NULL DEFAULT '{}'::integer[]",
      'rate_limits: arrival_at double precision NOT NULL DEFAULT 0',
      'rate_limits: stored_at integer NOT NULL DEFAULT 0',
      'rate_limits: allowed boolean NOT NULL DEFAULT true',
    ],
  },
  {
    why: 'Each database checks JSON in its own way. SQLite cannot add a check to a column that it has.',
    sqlite: [
      'sites: CHECK (((allowed_origins IS NULL) OR json_valid(allowed_origins)))',
      'sites: CHECK (((removal IS NULL) OR json_valid(removal)))',
    ],
    postgres: [
      'sites: CHECK (((allowed_origins IS NULL) OR ((allowed_origins)::json IS NOT NULL)))',
      'sites: CHECK (((removal IS NULL) OR ((removal)::json IS NOT NULL)))',
      'export_jobs: CHECK (((request)::json IS NOT NULL))',
    ],
  },
  {
    why: 'For UNIQUE, NULL differs from NULL in SQLite.',
    sqlite: [
      'people: UNIQUE (organization_id, name)',
      'people: CREATE UNIQUE INDEX people_operators (name) WHERE (organization_id IS NULL)',
    ],
    postgres: ['people: UNIQUE NULLS NOT DISTINCT (organization_id, name)'],
  },
  {
    why: 'SQLite reads all jobs, which are those of one machine.',
    postgres: [
      'export_jobs: CREATE INDEX export_jobs_organization (organization_id, created_at)',
      'idempotency_keys: CREATE INDEX idempotency_keys_job (job_id)',
    ],
  },
]

/** The tables of both databases that `quire migrate` does not copy, and why. */
const left = {
  rate_limits: 'It counts the last hour.',
  readiness: 'It is only written.',
  schema_span: 'The new store has its own.',
  clock_check: 'The new store has another clock.',
  log_positions: 'It copies those of one node, see `writePositions`.',
}

/**
 * The columns, constraints and indexes of tables as PostgreSQL writes them, after the name of their table. Integers of all sizes are the
 * same, and a table of visits has no column for the project.
 */
type Schema = Map<string, string[]>

const describeTables = (schema: string) => `
  WITH tables AS (
    SELECT oid AS id, relname AS name FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r')
  SELECT name, line FROM tables JOIN (
    SELECT attrelid AS id, attname || ' ' || format_type(atttypid, NULL)
      || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '') AS line
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attnum > 0 AND NOT attisdropped
    UNION ALL SELECT conrelid, pg_get_constraintdef(oid) FROM pg_constraint
    UNION ALL SELECT indrelid, pg_get_indexdef(indexrelid) FROM pg_index
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
  ) AS lines USING (id) ORDER BY name, line`

const postgres = await findPostgres()

describe.skipIf('missing' in postgres)('after all migrations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-same-schema-'))
  let database: TestDatabase
  let sqlite: Schema
  let other: Schema
  beforeAll(async () => {
    database = await createTestDatabase((postgres as { url: string }).url)
    await (await openPostgresStore(database.url)).close()
    other = await readSchema('public')
    // It drops the tables of visits that early versions had in the main database.
    openStore(folder).close()
    const main = await readSqliteSchema('main', new Database(join(folder, 'quire.db')))
    const visits = await readSqliteSchema('visits', openDatabase(':memory:', schemaFolders.visits))
    expect(main.get('log_positions')).toEqual(visits.get('log_positions'))
    sqlite = new Map([...main, ...visits])
  })
  afterAll(async () => {
    await database?.drop()
    rmSync(folder, { recursive: true })
  })

  /** Makes the tables of SQLite in PostgreSQL, which then writes their expressions as those of its own. */
  async function readSqliteSchema(name: string, opened: Database.Database): Promise<Schema> {
    const list = "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY rowid"
    const texts = opened.prepare<[], string>(list).pluck().all()
    opened.close()
    const translated = texts.map(text =>
      text
        .replace(/\) STRICT(?:, WITHOUT ROWID)?$/, ')')
        .replace(/\bBLOB\b/g, 'bytea')
        .replace(/\bREAL\b/g, 'double precision')
        // SQLite needs no types, see `storeSpan`.
        .replace('schema_span(oldest)', 'schema_span(oldest integer)'),
    )
    await database.run(`CREATE SCHEMA ${name}; SET LOCAL search_path = ${name};
      CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE FUNCTION json_type(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
      ${translated.join(';\n')}`)
    return readSchema(name)
  }

  async function readSchema(name: string): Promise<Schema> {
    const rows = (await database.run(describeTables(name))) as { name: string; line: string }[]
    const toLine = (table: string, line: string) => {
      const inAny = line.replaceAll(`${name}.`, '').replaceAll('bigint', 'integer').replace('project_key, ', '')
      return `${table}: ${inAny.replace(/ ON \S+ USING btree/, '')}`
    }
    const tables = Object.groupBy(
      rows.filter(({ line }) => !line.startsWith('project_key ')),
      row => row.name,
    )
    return new Map(Object.entries(tables).map(([table, of = []]) => [table, of.map(({ line }) => toLine(table, line))]))
  }

  test('both databases have the same columns, checks, keys and indexes, apart from intended differences', () => {
    const findOnly = (some: Schema, others: Schema) =>
      [...some].flatMap(([table, lines]) =>
        others.has(table) ? lines.filter(line => !others.get(table)?.includes(line)) : [table],
      )
    const sort = (lines: readonly string[]) => lines.toSorted()
    expect({ sqlite: sort(findOnly(sqlite, other)), postgres: sort(findOnly(other, sqlite)) }).toEqual({
      sqlite: sort(intended.flatMap(({ sqlite = [] }) => sqlite)),
      postgres: sort(intended.flatMap(({ postgres = [] }) => postgres)),
    })
  })

  test('quire migrate copies every table, or leaves it on purpose', () => {
    const copied = [...nounTables, ...visitTables].map(({ name }) => name)
    const inOne = intended.flatMap(({ sqlite = [], postgres = [] }) => [...sqlite, ...postgres])
    const notCopied = [...Object.keys(left), ...inOne.filter(line => !line.includes(':'))]
    const all = new Set([...sqlite.keys(), ...other.keys()])
    expect([...all].toSorted()).toEqual([...copied, ...notCopied].toSorted())
    for (const { name, columns } of visitTables) {
      const found = sqlite.get(name)?.flatMap(line => /^\w+: ([a-z]\w*) /.exec(line)?.[1] ?? [])
      expect([name, found]).toEqual([name, columns.toSorted()])
    }
  })
})
