import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'node:querystring'
import type { AnyRoute as Route } from '../generated/operations.ts'
import { malformedJson, malformedPath } from '../server/http/http-error.ts'
import { createInputCheck } from '../server/http/input-check.ts'
import { isJson, jsonOnly } from '../server/http/media-type.ts'

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

/** Lists the parameters of an operation with references resolved. */
export function listParameters(document: Document, route: Route): Parameter[] {
  return (document.paths[route.path]?.[route.method]?.parameters ?? []).map(
    ({ $ref }) => document.components.parameters[$ref.split('/').at(-1) ?? ''] as Parameter,
  )
}

/** These query parameters choose an answer of Prism, like the header Prefer. */
const prismParameters = ['__code', '__example', '__dynamic']

/**
 * Checks a request as the server does, because Prism accepts some wrong requests, hangs on others, and has other errors.
 *
 * @throws {HttpError} 400
 */
export function checkRequest(
  document: object,
  route: Route,
  { target, headers, body }: { target: string; headers: IncomingHttpHeaders; body: Buffer },
): void {
  const [path = '', ...query] = target.split('?')
  const params = readParams(route.path, path)
  const given = parse(query.join('?'), '&', '=', { maxKeys: 0 })
  for (const name of prismParameters) delete given[name]
  const parts = { params, query: { ...given }, headers: headers as Record<string, string>, body: undefined as unknown }
  if (route.hasBody && !route.isRaw && body.length > 0) {
    if (!isJson(headers['content-type'])) throw jsonOnly()
    parts.body = readJson(body)
  }
  createInputCheck(document, route)(parts)
}

function readParams(template: string, path: string): Record<string, string> {
  const given = path.split('/')
  const names = template.split('/').map((step, i) => [/^\{(\w+)\}$/.exec(step)?.[1], given[i] ?? ''] as const)
  try {
    return Object.fromEntries(names.flatMap(([name, value]) => (name ? [[name, decodeURIComponent(value)]] : [])))
  } catch {
    throw malformedPath
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw malformedJson
  }
}
