import { OperatorError } from '../../base/operator-error.ts'
import { inspectPostgres } from '../../store/open-postgres.ts'
import { checkSharedKeys, type KeyFiles } from './check-shared-keys.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks that a PostgreSQL database can be used, and with which keys. Changes nothing. */
export async function checkPostgres(url: string, files: KeyFiles): Promise<Finding[]> {
  try {
    const state = await inspectPostgres(url)
    return [describe(state), ...checkSharedKeys(files, state)]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [fail('databases', 'The PostgreSQL database cannot be used.', error.message)]
  }
}

function describe({ pending, isReadOnly }: { pending: readonly string[]; isReadOnly: boolean }): Finding {
  if (isReadOnly) {
    const message = 'The PostgreSQL database can be reached, but it is read-only.'
    const remedy = 'Give the address of the primary, or set default_transaction_read_only of the role to off.'
    return fail('databases', message, remedy)
  }
  if (pending.length === 0) return ok('databases', 'The PostgreSQL database can be reached and has the newest schema.')
  const message = `The PostgreSQL database can be reached. These migrations are pending: ${pending.join(', ')}.`
  return warn('databases', message, 'Dump it with pg_dump. The next start of a server applies them.')
}
