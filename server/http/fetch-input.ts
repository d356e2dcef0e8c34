import type { Input, OperationId, Route } from '../../generated/operations.ts'
import type { InputParts } from './input-check.ts'
import { chooseMediaType } from './media-type.ts'

/**
 * Reads the parts of a request of the Fetch API that are checked, without its body.
 *
 * @param target the undecoded path and query
 * @throws {URIError} for an invalid percent escape in the path.
 */
export function readParts(request: Request, route: Route, target: string): InputParts {
  const [pathname = '', ...query] = target.split('?')
  return {
    params: readParams(route, pathname),
    // It removes one question mark.
    query: readQuery(new URLSearchParams(`?${query.join('?')}`)),
    headers: Object.fromEntries(request.headers),
    body: undefined,
  }
}

/** Returns the input of the handler. The parts have been checked. */
export function toInput<Id extends OperationId>(
  { params, query, headers, body }: InputParts,
  { mediaTypes }: Route,
): Input<Id> {
  const input: unknown = { params, query, headers, body, mediaType: chooseMediaType(headers.accept, mediaTypes) }
  return input as Input<Id>
}

function readParams({ path }: Route, pathname: string): Record<string, string> {
  const values = pathname.split('/')
  return Object.fromEntries(
    path
      .split('/')
      .flatMap((step, i) => (step.startsWith('{') ? [[step.slice(1, -1), decodeURIComponent(values[i] ?? '')]] : [])),
  )
}

function readQuery(given: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(given.keys())]
  return Object.fromEntries(
    names.map(name => {
      const [first = '', ...others] = given.getAll(name)
      return [name, others.length === 0 ? first : [first, ...others]]
    }),
  )
}
