import {
  type Body,
  type Document,
  findJsonSchema,
  type Located,
  listOperations,
  type Operation,
  type Parameter,
  type Ref,
  resolve,
  type Schema,
} from './document.ts'

/** Writes the text of generated/operations.ts: the inputs and outputs of the handlers, and the route table. */
export function writeOperations(document: Document): string {
  const operations = listOperations(document)
  const defaults = operations.map(located => `  ${located.operation.operationId}: ${toDefaults(document, located)}`)
  const routes = operations.map(located => `  ${JSON.stringify(toRoute(document, located))},`)
  const raw = operations
    .filter(({ operation }) => isRaw(document, operation))
    .map(({ operation }) => operation.operationId)
  return `${types}
interface Defaults {
${defaults.join('\n')}
}

/** The operations whose handlers read the bytes of the body. */
type RawId = ${toUnion(raw)}

/** All operations, in the order of the document. */
export const routes: readonly Route[] = [
${routes.join('\n')}
]
`
}

function toDefaults(document: Document, { operation }: Located): string {
  const parameters = (operation.parameters ?? []).map(given => resolve<Parameter>(document, given))
  const query = parameters
    .filter(parameter => parameter.in === 'query' && hasDefault(document, parameter.schema))
    .map(parameter => parameter.name)
  const schema = isRaw(document, operation) ? undefined : findJsonSchema(document, operation.requestBody)
  const properties = schema?.properties ?? {}
  const body = Object.keys(properties).filter(name => hasDefault(document, properties[name] as Schema))
  return `{ query: ${toUnion(query)}; body: ${toUnion(body)} }`
}

/** Whether a request has a body that only its handler can read. */
function isRaw(document: Document, { requestBody }: Operation): boolean {
  return requestBody !== undefined && resolve<Body>(document, requestBody)['x-raw-body'] === true
}

function hasDefault(document: Document, schema: object): boolean {
  return resolve<Schema>(document, schema as Schema).default !== undefined
}

function toUnion(names: string[]): string {
  return names.map(name => JSON.stringify(name)).join(' | ') || 'never'
}

/** Returns a row of the route table, see `Route` in the output. */
function toRoute(document: Document, { path, method, operation }: Located): object {
  const { operationId } = operation
  const security = operation.security?.[0]?.adminApiKey
  const unknown = security?.find(scope => !['read', 'write', 'ingest', 'count'].includes(scope))
  // Without this check, an operation without scopes would be open to every key.
  if (!security?.length)
    throw new Error(`${operationId} has no scope. Set security to adminApiKey: [read] or adminApiKey: [write].`)
  if (unknown) throw new Error(`${operationId} has the unknown scope ${unknown}. Use read, write, ingest or count.`)
  const plan = operation['x-required-plan'] ?? null
  if (plan !== null && plan !== 'enterprise')
    throw new Error(`${operationId} has x-required-plan: ${plan}. Only enterprise is allowed.`)
  const budget = operation['x-rate-limit']
  const limit = budget === undefined ? undefined : document['x-rate-limits']?.[budget]
  if (budget !== undefined && !limit)
    throw new Error(`${operationId} has x-rate-limit: ${budget}. Add this budget to x-rate-limits.`)
  const refusal = findJsonSchema(document, operation.responses['400'])
  if (!refusal)
    throw new Error(
      `${operationId} has no 400 response with a JSON body. Add one: the shape of its errors is read from it.`,
    )
  return {
    operationId,
    method,
    path,
    mediaTypes: listMediaTypes(document, operation),
    hasETag: isConditional({ path, method, operation }),
    scopes: security,
    plan,
    rateLimit: limit ? { budget, quota: limit.quota, windowSeconds: limit.windowSeconds } : null,
    hasBody: operation.requestBody !== undefined,
    isRaw: isRaw(document, operation),
    deprecation: toDeprecation(operation),
    errorShape: refusal.required?.includes('details') ? 'error-with-details' : 'error',
  }
}

/** Returns the values of the headers Deprecation (RFC 9745) and Sunset (RFC 8594). */
function toDeprecation({ operationId, deprecated, ...given }: Operation): object | null {
  const since = Date.parse(given['x-deprecated-since'] ?? '')
  const sunset = Date.parse(given['x-sunset'] ?? '')
  if (deprecated !== true) return null
  if (!(sunset - since >= 365 * 24 * 60 * 60 * 1000)) {
    throw new Error(`${operationId} is deprecated. Set x-deprecated-since, and x-sunset at least 12 months later.`)
  }
  return { deprecation: `@${since / 1000}`, sunset: new Date(sunset).toUTCString() }
}

/** Lists the media types of the successful answers, JSON first. */
function listMediaTypes(document: Document, { operationId, responses }: Operation): string[] {
  const types = Object.keys(responses)
    .filter(status => status.startsWith('2'))
    .map(status => Object.keys(resolve<Body>(document, responses[status] as Ref | Body).content ?? {}))
  for (const [first] of types) {
    if (first !== undefined && first !== 'application/json') {
      throw new Error(
        `${operationId} succeeds without application/json. Put it first: it is for clients without Accept.`,
      )
    }
  }
  return [...new Set(types.flat())]
}

/** Returns whether the server answers 304, which it does before it reads a body and spends the budget. */
function isConditional({ method, operation: { operationId, responses } }: Located): boolean {
  if (responses['304'] === undefined) return false
  if (method !== 'get') throw new Error(`${operationId} has a 304 response. Only get can have one.`)
  return true
}

const types = `import type { operations } from './openapi.ts'

export type OperationId = keyof operations

/** A validated request. Header names are in lower case; missing values get their defaults from the document. */
export interface Input<Id extends OperationId> {
  params: Part<Id, 'path'>
  query: Filled<Part<Id, 'query'>, Defaults[Id]['query']>
  headers: { [Name in keyof Part<Id, 'header'> as Lowercase<Name & string>]: Part<Id, 'header'>[Name] }
  body: Id extends RawId
    ? AsyncIterable<Uint8Array>
    : operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
      ? Filled<Body, Defaults[Id]['body']>
      : undefined
  /** The media type that the client prefers for a successful answer. */
  mediaType: MediaType<Id>
}

/** One of the responses that the document lists for the operation. The server itself answers 304. */
export type Output<Id extends OperationId> = {
  [Status in Exclude<keyof operations[Id]['responses'], 304>]: Answer<Status, operations[Id]['responses'][Status]>
}[Exclude<keyof operations[Id]['responses'], 304>]

/** An answer has a JSON body, its media type and a body in parts, or none. The server itself writes errors as problems (RFC 9457). */
type Answer<Status, Response> = Response extends { content: infer Content }
  ? {
      [Type in Exclude<keyof Content, 'application/problem+json'>]: Type extends 'application/json'
        ? { status: Status; mediaType?: Type; body: Content[Type]; headers?: HeadersOf<Response> }
        : { status: Status; mediaType: Type; body: AsyncIterable<Uint8Array>; headers?: HeadersOf<Response> }
    }[Exclude<keyof Content, 'application/problem+json'>]
  : { status: Status & number; body?: undefined; headers?: HeadersOf<Response> }

/** The headers that the document declares for a response. */
type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as string extends Name ? never : Name]?: string }
  : never

type MediaType<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201 | 202)]: operations[Id]['responses'][Status] extends {
    content: infer Content
  }
    ? keyof Content
    : never
}[keyof operations[Id]['responses'] & (200 | 201 | 202)]

/**
 * One function for each operation with a 304 response. It returns the ETag that a 200 has now; undefined if the answer is
 * another one.
 */
export type ETags<Deps, Caller> = {
  [Id in WithETag]: (input: Input<Id>, deps: Deps, caller: Caller) => Promise<string | undefined>
} & { [Id in Exclude<OperationId, WithETag>]?: never }

type WithETag = {
  [Id in OperationId]: operations[Id]['responses'] extends { 304: unknown } ? Id : never
}[OperationId]

/** One handler for each operation, as in \`{ ... } satisfies Handlers<Deps, Caller>\`. */
export type Handlers<Deps, Caller> = {
  [Id in OperationId]: (input: Input<Id>, deps: Deps, caller: Caller) => Output<Id> | Promise<Output<Id>>
}

/** The properties of an operation that the server needs before it reads the request. */
export interface Route extends AnyRoute {
  operationId: OperationId
}

/** An operation of any document. */
export interface AnyRoute {
  operationId: string
  method: 'get' | 'put' | 'post' | 'delete' | 'patch'
  /** Path template, such as /v1/static-export/jobs/{jobId}. */
  path: string
  /** The media types of successful answers. The first is JSON, for clients that prefer none. */
  mediaTypes: readonly string[]
  /** Whether an answer can be 304. */
  hasETag: boolean
  /** The key needs all of these scopes. */
  scopes: readonly ('read' | 'write' | 'ingest' | 'count')[]
  /** The plan that the organization needs; null = any. */
  plan: 'enterprise' | null
  /** The rate limit. Operations with the same budget share it; null = no limit. */
  rateLimit: { budget: string; quota: number; windowSeconds: number } | null
  hasBody: boolean
  /** Whether the handler reads the bytes of the body, which need not be JSON. */
  isRaw: boolean
  /** The headers of all answers of a deprecated operation; null = it is not. */
  deprecation: { deprecation: string; sunset: string } | null
  errorShape: 'error' | 'error-with-details'
}

type Part<Id extends OperationId, Place extends keyof operations[Id]['parameters']> = [
  NonNullable<operations[Id]['parameters'][Place]>,
] extends [never]
  ? {}
  : NonNullable<operations[Id]['parameters'][Place]>

type Filled<Fields, Names extends PropertyKey> = {
  [Name in keyof Fields as Name extends Names ? never : Name]: Fields[Name]
} & { [Name in keyof Fields as Name extends Names ? Name : never]-?: Fields[Name] }

/** The names of the fields with a default in the document. */`
