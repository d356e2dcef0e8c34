import { listOperations } from './laws/base-requests.ts'
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
  const all = listOperations(session).flatMap(operation =>
    [...operation.responses].flatMap(([status, { content }]) =>
      (content.size === 0 ? [undefined] : [...content.keys()])
        // An error that was reached as JSON is the same one as a problem of RFC 9457.
        .filter(mediaType => mediaType !== 'application/problem+json')
        .map(mediaType => ({ operation, status, mediaType })),
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

/** Responses that were not reached for the same reason. */
export interface UnreachedGroup {
  reason: string
  /** Such as `getAgentJob 403`, with the media type if it is not JSON. */
  responses: string[]
}

/** Groups responses by the reason, because a flag that is not set, or a fault that nobody can cause, concerns many of them. */
export function groupByReason(unreached: readonly Unreached[]): UnreachedGroup[] {
  const groups = new Map<string, string[]>()
  for (const { operation, status, mediaType = '', reason } of unreached) {
    const shown = mediaType === 'application/json' ? '' : mediaType
    groups.set(reason, [...(groups.get(reason) ?? []), `${operation} ${status} ${shown}`.trimEnd()])
  }
  return [...groups].map(([reason, responses]) => ({ reason, responses }))
}

function explain({ settings, known, extensions }: Session, operation: Operation, status: number): string {
  if (extensions.includes(operation) && ![403, 500, 503].includes(status)) return 'No answer had this status.'
  const { id, path, scopes } = operation
  switch (status) {
    case 200:
    case 304:
      if (path.includes('{jobId}')) return 'No completed export: set --export-job, or --domain to a registered site.'
      return id === 'getAgentJob'
        ? `No answer for the agent job ${settings.agentJob} of the project ${settings.project}: set --project and --agent-job.`
        : `No answer for the project ${settings.project}: set --project, and run when the analytics budget is not spent.`
    case 202:
      return `The site ${settings.domain} was not exported: set --domain to a registered site.`
    case 403: {
      const [flag, given, scope] = scopes.includes('read')
        ? ['--write-key', settings.writeKey, 'read']
        : ['--read-key', settings.readKey, scopes.join()]
      return given === undefined
        ? `Set ${flag} to a key without the scope ${scope}.`
        : `The key of ${flag} was not refused. Check that it lacks the scope ${scope}.`
    }
    case 409:
      return known.domain ? 'No answer had this status.' : 'Set --domain to a registered site.'
    case 413:
      return 'The server accepts bodies of 2 MiB.'
    case 429:
      return operation.body
        ? 'The queue of the organization was not full. Run the kit while it is.'
        : 'The budget of the organization was not spent. Do not exclude rate_limit_enforcement.'
    case 500:
      return 'A fault of the server cannot be caused from outside. Test it where you can cause one.'
    case 503:
      return 'A busy or full server cannot be caused from outside. Test it where you can cause one.'
    default:
      return 'No answer had this status.'
  }
}
