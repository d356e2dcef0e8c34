import { type Handlers, type OperationId, type Output, type Route, routes } from '../../generated/operations.ts'
import { readAsset } from '../assets.ts'
import type { Client } from '../operations/client.ts'
import type { Deps } from '../operations/deps.ts'
import { handlers as operations } from '../operations/index.ts'
import { checkAccess } from './access.ts'
import { toInput } from './fetch-input.ts'
import { HttpError } from './http-error.ts'
import { createInputCheck, type InputParts } from './input-check.ts'

const handlers: Handlers<Deps, Client> = operations

/** A request that the API refuses before its handler: the plan, or a field that breaks the contract. */
export interface Refusal {
  status: 400 | 403
  /** One sentence per problem. The sentence about a field begins with its name, such as `paths[0]`. */
  problems: readonly string[]
}

/**
 * Calls an operation of the API without HTTP: checks the plan and the fields and runs the handler, as for a request.
 *
 * @param parts what a program would send; headers have names in lower case
 */
export async function callOperation<Id extends OperationId>(
  id: Id,
  parts: Partial<InputParts>,
  deps: Deps,
  client: Client,
): Promise<Output<Id> | Refusal> {
  const route = findRoute(id)
  const all: InputParts = { params: {}, query: {}, headers: {}, body: undefined, ...parts }
  try {
    checkAccess(route, client)
    findCheck(route)(all)
  } catch (error) {
    if (!(error instanceof HttpError) || (error.status !== 400 && error.status !== 403)) throw error
    return { status: error.status, problems: error.faults?.map(({ message }) => message) ?? [error.message] }
  }
  return handlers[id](toInput<Id>(all, route), deps, client)
}

function findRoute(id: OperationId): Route {
  const route = routes.find(({ operationId }) => operationId === id)
  if (!route) throw new Error(`The document has no operation ${id}.`)
  return route
}

let document: object | undefined
const checks = new Map<OperationId, (parts: InputParts) => void>()

/** Returns the check of an operation, made from the document on first use. */
function findCheck(route: Route): (parts: InputParts) => void {
  document ??= JSON.parse(readAsset('generated/openapi.json')) as object
  const known = checks.get(route.operationId)
  if (known) return known
  const check = createInputCheck(document, route)
  checks.set(route.operationId, check)
  return check
}
