import type { Route } from '../generated/operations.ts'
import { malformedJson, malformedPath } from '../server/http/http-error.ts'
import { findUnfit, listBoundParameters, suggestKnown } from '../server/http/invalid-request.ts'

/** The parts of the document that the mock reads; see scripts/generate for the whole. */
export interface Document {
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter> } & Record<string, Record<string, unknown>>
}
export interface Operation {
  operationId: string
  summary: string
  parameters?: { $ref: string }[]
  requestBody?: unknown
  responses: Record<string, object>
}
export interface Parameter {
  name: string
  in: string
  required?: boolean
  example: unknown
}

// Prism accepts these query parameters instead of a Prefer header.
const prismParameters = ['__code', '__example', '__dynamic']

/** Lists the parameters of an operation with references resolved. */
export function listParameters(document: Document, route: Route): Parameter[] {
  return (document.paths[route.path]?.[route.method]?.parameters ?? []).map(
    ({ $ref }) => document.components.parameters[$ref.split('/').at(-1) ?? ''] as Parameter,
  )
}

/** Finds violations of the contract that Prism accepts or hangs on; returns a sentence for each. */
export function findFaults(
  document: Document,
  route: Route,
  { target, mediaType, body }: { target: string; mediaType: string; body: Buffer },
): string[] {
  const [path = '', ...query] = target.split('?')
  if (!isDecodable(path)) return [malformedPath.message]
  const inQuery = listParameters(document, route).filter(parameter => parameter.in === 'query')
  const known = inQuery.map(({ name }) => name)
  const allowed = [...known, ...prismParameters]
  const given = new URLSearchParams(query.join('?'))
  const faults = [...new Set(given.keys())]
    .filter(name => !allowed.includes(name))
    .map(name => `${name.slice(0, 80)} is not a query parameter of this operation. ${suggestKnown(name, known)}`)
  faults.push(...findUnfit([...given.keys()], listBoundParameters(document, route), mediaType))
  if (route.hasBody && body.length > 0 && !isJson(body)) faults.push(malformedJson.message)
  return faults
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}
