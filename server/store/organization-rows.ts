const ofProjects = 'project_id IN (SELECT id FROM projects WHERE organization_id = @id)'
const ofPeople = 'person_id IN (SELECT id FROM people WHERE organization_id = @id)'
const isOpen = "organization_id = @id AND status IN ('queued', 'running')"

/** Tables and their rows of an organization; a table comes before the tables that it refers to. Its audit events stay. */
const rows: readonly (readonly [table: string, condition: string])[] = [
  ['idempotency_keys', 'organization_id = @id'],
  ['export_jobs', 'organization_id = @id'],
  ['rate_limits', 'organization_id = @id'],
  ['sessions', ofPeople],
  ['sign_in_links', ofPeople],
  ['people', 'organization_id = @id'],
  ['api_keys', 'organization_id = @id'],
  ['agent_jobs', ofProjects],
  ['sites', ofProjects],
  ['projects', 'organization_id = @id'],
  ['organizations', 'id = @id'],
]

/** What the deletion of an organization asks of SQLite and of PostgreSQL. The parameters are `id` and, where it occurs, `now`. */
export const removalSql = {
  /** A row with the fields of `OrganizationSize`. */
  count: `SELECT (SELECT count(*) FROM projects WHERE organization_id = @id) AS projects,
     (SELECT count(*) FROM sites WHERE ${ofProjects}) AS sites,
     (SELECT count(*) FROM api_keys WHERE organization_id = @id AND revoked_at IS NULL) AS keys,
     (SELECT count(*) FROM people WHERE organization_id = @id) AS people,
     (SELECT count(*) FROM agent_jobs WHERE ${ofProjects}) AS "agentJobs",
     (SELECT count(*) FROM export_jobs WHERE organization_id = @id) AS exports`,
  // Each list has one column, `name`.
  projects: 'SELECT id AS name FROM projects WHERE organization_id = @id',
  bundles: 'SELECT bundle_file AS name FROM export_jobs WHERE organization_id = @id AND bundle_file IS NOT NULL',
  domains: `SELECT domain AS name FROM sites WHERE ${ofProjects}`,
  revokeKeys: 'UPDATE api_keys SET revoked_at = @now WHERE organization_id = @id AND revoked_at IS NULL',
  /** Ends what is open, so that nothing new begins. */
  close: [
    `DELETE FROM sessions WHERE ${ofPeople}`,
    `DELETE FROM sign_in_links WHERE ${ofPeople}`,
    `DELETE FROM idempotency_keys WHERE job_id IN (SELECT job_id FROM export_jobs WHERE ${isOpen})`,
    `DELETE FROM export_jobs WHERE ${isOpen}`,
  ],
  /** Deletes all of it. */
  finish: rows.map(([table, condition]) => `DELETE FROM ${table} WHERE ${condition}`),
} as const
