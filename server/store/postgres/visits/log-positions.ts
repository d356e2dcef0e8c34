import type { LogPosition } from '../../../analytics/unique-visitors.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'

/** Stands for the project of a log that has visits of several projects. */
export const noProject = 0

interface Log {
  project: number
  node: string
  log: string
}

const find = statement<Log, { position: string }>(
  'SELECT position FROM log_positions WHERE project_key = @project AND node = @node AND log = @log',
)
const upsert = statement<Log & LogPosition>(
  `INSERT INTO log_positions (project_key, node, log, position) VALUES (@project, @node, @log, @position)
   ON CONFLICT (project_key, node, log) DO UPDATE SET position = excluded.position`,
  { isRepeatable: true },
)

export async function findLogPosition(
  database: Database,
  project: number,
  node: string,
  log: string,
): Promise<string | undefined> {
  return (await database.get(find, { project, node, log }))?.position
}

export async function putLogPosition(
  database: Database,
  project: number,
  node: string,
  position: LogPosition,
): Promise<void> {
  await database.run(upsert, { project, node, ...position })
}
