import type { Operation } from './operations.ts'
import type { Session } from './session.ts'

/** A documented response that no request got. */
export interface Unreached {
  operation: string
  status: number
  mediaType: string | undefined
  reason: string
}

/** Lists the documented responses, and those that no answer was. */
export function listUnreached(session: Session): { documented: number; unreached: Unreached[] } {
  const all = Object.values(session.operations).flatMap(operation =>
    [...operation.responses].flatMap(([status, { content }]) =>
      (content.size === 0 ? [undefined] : [...content.keys()]).map(mediaType => ({ operation, status, mediaType })),
    ),
  )
  const unreached = all
    .filter(
      ({ operation, status, mediaType = '' }) => !session.reached.has(`${operation.id} ${status} ${mediaType}`.trim()),
    )
    .map(({ operation, status, mediaType }) => ({
      operation: operation.id,
      status,
      mediaType,
      reason: explain(session, operation, status),
    }))
  return { documented: all.length, unreached }
}

function explain({ settings, known }: Session, operation: Operation, status: number): string {
  const { id, path, scopes } = operation
  switch (status) {
    case 200:
    case 304:
      if (path.includes('{jobId}')) return 'No completed export: set --export-job, or --domain to a registered site.'
      return id === 'getAgentJob'
        ? 'Set --project and --agent-job.'
        : 'Set --project, and run when the analytics budget is not spent.'
    case 202:
      return `The site ${settings.domain} was not exported: set --domain to a registered site.`
    case 403:
      return scopes.includes('write')
        ? 'Set --read-key to a key without the scope write.'
        : 'Set --write-key to a key without the scope read.'
    case 409:
      return known.domain ? 'No answer had this status.' : 'Set --domain to a registered site.'
    case 413:
      return 'The server accepts bodies of 2 MiB.'
    case 429:
      return operation.body
        ? 'The queue of the organization was not full.'
        : 'The budget of the organization was not spent.'
    case 500:
      return 'A fault of the server cannot be caused from outside.'
    case 503:
      return 'A busy or full server cannot be caused from outside.'
    default:
      return 'No answer had this status.'
  }
}
