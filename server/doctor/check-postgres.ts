import { OperatorError } from '../base/operator-error.ts'
import { inspectPostgres } from '../store/open-postgres.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks that a PostgreSQL database can be used. Changes nothing. */
export async function checkPostgres(url: string): Promise<Finding[]> {
  try {
    const pending = await inspectPostgres(url)
    if (pending.length === 0)
      return [ok('databases', 'The PostgreSQL database can be reached and has the newest schema.')]
    const message = `The PostgreSQL database can be reached. These migrations are pending: ${pending.join(', ')}.`
    return [warn('databases', message, 'Dump it with pg_dump. The next start of a server applies them.')]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [fail('databases', 'The PostgreSQL database cannot be used.', error.message)]
  }
}
