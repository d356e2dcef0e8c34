import type { ErrorCode } from '../../../generated/error-codes.ts'
import { errors, examples as extensionExamples } from '../../../generated/extensions/errors.ts'
import { fixtures } from '../../../generated/fixtures.ts'
import type { AnyRoute as Route } from '../../../generated/operations.ts'
import { type Fault, HttpError } from '../../../server/http/http-error.ts'
import { mocked } from './extensions.ts'

interface ErrorExample {
  status: number
  name: string
  body: { error: string; details?: Fault[]; code: ErrorCode }
}

/**
 * Returns a documented error of an operation, with the body of its example; undefined if the operation has no such error.
 *
 * @param wanted a status such as `503`, or the name of an example such as `plan`
 */
export function findForcedError({ operationId }: Pick<Route, 'operationId'>, wanted: string): HttpError | undefined {
  const found = listErrors(operationId).find(({ status, name }) => name === wanted || String(status) === wanted)
  if (!found) return undefined
  const { error, details, code } = found.body
  return new HttpError(found.status, code, error, listHeaders(found, operationId), details)
}

/** Says which errors there are: of one operation, or of all of them. */
export function explainNoError(wanted: string, operationId?: Route['operationId']): string {
  const examples = (operationId ? [operationId] : mocked.routes.map(route => route.operationId)).flatMap(listErrors)
  const statuses = [...new Set(examples.map(({ status }) => status))].sort().join(', ')
  const names = [...new Set(examples.map(({ name }) => name))].join(', ')
  return `${operationId ?? 'The API'} has no error ${wanted.slice(0, 80)}. Choose a status (${statuses}), a name (${names}), or network.`
}

function listErrors(operationId: Route['operationId']): ErrorExample[] {
  const added = errors[operationId]
  if (added) return added.map(place => extensionExamples[place] as ErrorExample)
  return Object.entries(fixtures[operationId as keyof typeof fixtures].responses).flatMap(([status, content]) => {
    const examples = (content as { 'application/json'?: Record<string, unknown> })['application/json'] ?? {}
    return Number(status) < 400
      ? []
      : Object.entries(examples).map(([name, body]) => ({
          status: Number(status),
          name,
          body: body as ErrorExample['body'],
        }))
  })
}

/** The headers that the document requires for the error, as in its example. */
function listHeaders({ status, body }: ErrorExample, operationId: Route['operationId']): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' }
  if (status === 503) return { 'Retry-After': '5' }
  if (status !== 429) return {}
  const seconds = /after (\d+) seconds/.exec(body.error)?.[1] ?? '60'
  return {
    'Retry-After': seconds,
    ...(operationId === 'getUniqueVisitors' && { RateLimit: `"analytics";r=0;t=${seconds}` }),
  }
}
