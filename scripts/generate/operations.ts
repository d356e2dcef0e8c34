import {
  type Document,
  findJsonSchema,
  type Located,
  listOperations,
  type Parameter,
  resolve,
  type Schema,
} from './document.ts'

/** Writes the text of generated/operations.ts: the inputs and outputs of the handlers, and the route table. */
export function writeOperations(document: Document): string {
  const operations = listOperations(document)
  const defaults = operations.map(located => `  ${located.operation.operationId}: ${toDefaults(document, located)}`)
  const routes = operations.map(located => `  ${JSON.stringify(toRoute(document, located))},`)
  return `${types}
interface Defaults {
${defaults.join('\n')}
}

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
  const properties = findJsonSchema(document, operation.requestBody)?.properties ?? {}
  const body = Object.keys(properties).filter(name => hasDefault(document, properties[name] as Schema))
  return `{ query: ${toUnion(query)}; body: ${toUnion(body)} }`
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
  const unknown = security?.find(scope => scope !== 'read' && scope !== 'write')
  // Without this check, an operation without scopes would be open to every key.
  if (!security?.length)
    throw new Error(`${operationId} has no scope. Set security to adminApiKey: [read] or adminApiKey: [write].`)
  if (unknown) throw new Error(`${operationId} has the unknown scope ${unknown}. Use read or write.`)
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
    scopes: security,
    plan,
    rateLimit: limit ? { budget, quota: limit.quota, windowSeconds: limit.windowSeconds } : null,
    hasBody: operation.requestBody !== undefined,
    errorShape: refusal.required?.includes('details') ? 'error-with-details' : 'error',
  }
}

const types = `import type { operations } from './openapi.ts'

export type OperationId = keyof operations

/** A validated request. Header names are in lower case; missing values get their defaults from the document. */
export interface Input<Id extends OperationId> {
  params: Part<Id, 'path'>
  query: Filled<Part<Id, 'query'>, Defaults[Id]['query']>
  headers: { [Name in keyof Part<Id, 'header'> as Lowercase<Name & string>]: Part<Id, 'header'>[Name] }
  body: operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Filled<Body, Defaults[Id]['body']>
    : undefined
}

/** One of the responses that the document lists for the operation. */
export type Output<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: Answer<Status, operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses']]

interface Answer<Status, Response> {
  status: Status
  body: Response extends { content: { 'application/json': infer Body } } ? Body : undefined
  /** The headers that the document declares for this status. */
  headers?: Response extends { headers: infer Headers }
    ? { [Name in keyof Headers as string extends Name ? never : Name]?: string }
    : never
}

/** One handler for each operation, as in \`{ ... } satisfies Handlers<Deps, Caller>\`. */
export type Handlers<Deps, Caller> = {
  [Id in OperationId]: (input: Input<Id>, deps: Deps, caller: Caller) => Output<Id> | Promise<Output<Id>>
}

/** The properties of an operation that the server needs before it reads the request. */
export interface Route {
  operationId: OperationId
  method: 'get' | 'put' | 'post' | 'delete' | 'patch'
  /** Path template, such as /v1/static-export/jobs/{jobId}. */
  path: string
  /** The key needs all of these scopes. */
  scopes: readonly ('read' | 'write')[]
  /** The plan that the organization needs; null = any. */
  plan: 'enterprise' | null
  /** The rate limit. Operations with the same budget share it; null = no limit. */
  rateLimit: { budget: string; quota: number; windowSeconds: number } | null
  hasBody: boolean
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
