/** The types of columns in PostgreSQL. */
export type ColumnType = 'integer' | 'bigint' | 'text' | 'bytea' | 'uuid' | 'boolean' | 'double precision'

/** A table that both stores have. */
export interface TransferTable {
  name: string
  columns: readonly string[]
  /** As many; both stores sort the key of a row alike. */
  types: readonly ColumnType[]
  key: readonly string[]
}

/** A value of a column. A visitor is a Buffer. */
export type Value = string | number | Buffer | null
export type Row = readonly Value[]

/**
 * The tables of everything but visits, each after the tables that it refers to. Their columns are those that both stores have.
 * test/store/same-schema.test.ts finds a table that is missing here.
 */
export const nounTables: readonly { name: string; key: readonly string[] }[] = [
  { name: 'organizations', key: ['id'] },
  { name: 'projects', key: ['id'] },
  { name: 'sites', key: ['domain'] },
  { name: 'site_schedules', key: ['domain'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'agent_jobs', key: ['project_id', 'id'] },
  { name: 'agent_sources', key: ['project_id'] },
  { name: 'agent_runs', key: ['project_id', 'job_id'] },
  { name: 'agent_events', key: ['project_id', 'job_id', 'sequence'] },
  { name: 'export_jobs', key: ['job_id'] },
  { name: 'idempotency_keys', key: ['organization_id', 'idempotency_key'] },
  { name: 'people', key: ['id'] },
  { name: 'sign_in_links', key: ['token_sha256'] },
  { name: 'sessions', key: ['id'] },
  { name: 'audit_events', key: ['id'] },
  { name: 'webhooks', key: ['id'] },
  { name: 'webhook_deliveries', key: ['number'] },
]

/** The tables of the visits of a project, which have a column for the project on PostgreSQL. */
export const visitTables: readonly TransferTable[] = [
  { name: 'pages', columns: ['number', 'id', 'path'], types: ['integer', 'bigint', 'text'], key: ['number'] },
  {
    name: 'seen_rows',
    columns: ['visitor', 'from_day', 'days'],
    types: ['uuid', 'integer', 'bytea'],
    key: ['visitor', 'from_day'],
  },
  { name: 'day_counters', columns: ['day', 'block'], types: ['integer', 'bytea'], key: ['day'] },
  { name: 'month_counters', columns: ['month', 'block'], types: ['integer', 'bytea'], key: ['month'] },
  {
    name: 'period_keys',
    columns: ['period', 'from_day', 'to_day', 'source', 'key', 'created_at', 'destroyed_at'],
    types: ['text', 'integer', 'integer', 'text', 'bytea', 'bigint', 'bigint'],
    key: ['period'],
  },
  { name: 'derived_days', columns: ['day'], types: ['integer'], key: ['day'] },
  { name: 'labels', columns: ['number', 'label'], types: ['integer', 'text'], key: ['number'] },
  {
    name: 'seen_labels',
    columns: ['day', 'counts', 'visitors'],
    types: ['integer', 'bytea', 'bytea'],
    key: ['day'],
  },
]

/** Single values of the visits of a project. */
export interface VisitState {
  /** In hexadecimal digits. */
  revision: string
  keptFrom: number
  labelledFrom: number | null
}

/** Rows that are read or written together. */
export const rowsAtATime = 2000
