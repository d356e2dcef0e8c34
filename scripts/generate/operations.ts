import {
  type Document,
  findJsonSchema,
  type Located,
  listOperations,
  type Parameter,
  resolve,
  type Schema,
} from './document.ts'

/** The text of generated/operations.ts: what handlers take and answer, and the route table. */
export function writeOperations(document: Document): string {
  const operations = listOperations(document)
  const defaults = operations.map(located => `  ${located.operation.operationId}: ${toDefaults(document, located)}`)
  const routes = operations.map(located => `  ${JSON.stringify(toRoute(document, located))},`)
  return `${types}
interface Defaults {
${defaults.join('\n')}
}

/** Every operation of the document, in its order. */
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

/** A row of the route table; see \`Route\` in the output. */
function toRoute(document: Document, { path, method, operation }: Located): object {
  const { operationId } = operation
  const security = operation.security?.[0]?.adminApiKey
  const unknown = security?.find(scope => scope !== 'read' && scope !== 'write')
  // Whoever forgets the scopes of an operation must not leave it open to every key.
  if (!security?.length)
    throw new Error(`${operationId} names no scope: give it security with adminApiKey: [read] or [write].`)
  if (unknown) throw new Error(`${operationId} names the scope ${unknown}; there are read and write.`)
  const plan = operation['x-required-plan'] ?? null
  if (plan !== null && plan !== 'enterprise')
    throw new Error(`${operationId} needs the plan ${plan}; only enterprise can be needed.`)
  const budget = operation['x-rate-limit']
  const limit = budget === undefined ? undefined : document['x-rate-limits']?.[budget]
  if (budget !== undefined && !limit)
    throw new Error(`${operationId} has the budget ${budget}, which x-rate-limits does not list.`)
  const refusal = findJsonSchema(document, operation.responses['400'])
  if (!refusal) throw new Error(`${operationId} has no 400 with a JSON body, so its error shape is unknown.`)
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

/** A validated request. Header names are in lower case; what has a default in the document is filled in. */
export interface Input<Id extends OperationId> {
  params: Part<Id, 'path'>
  query: Filled<Part<Id, 'query'>, Defaults[Id]['query']>
  headers: { [Name in keyof Part<Id, 'header'> as Lowercase<Name & string>]: Part<Id, 'header'>[Name] }
  body: operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Filled<Body, Defaults[Id]['body']>
    : undefined
}

/** One of the answers that the document lists for the operation. */
export type Output<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: Answer<Status, operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses']]

interface Answer<Status, Response> {
  status: Status
  body: Response extends { content: { 'application/json': infer Body } } ? Body : undefined
  /** Those that the document declares for this status. */
  headers?: Response extends { headers: infer Headers }
    ? { [Name in keyof Headers as string extends Name ? never : Name]?: string }
    : never
}

/** One handler for each operation, as in \`{ ... } satisfies Handlers<Deps, Caller>\`. */
export type Handlers<Deps, Caller> = {
  [Id in OperationId]: (input: Input<Id>, deps: Deps, caller: Caller) => Output<Id> | Promise<Output<Id>>
}

/** What the server must know of an operation before it looks at the request. */
export interface Route {
  operationId: OperationId
  method: 'get' | 'put' | 'post' | 'delete' | 'patch'
  /** Template with braces, such as /v1/static-export/jobs/{jobId}. */
  path: string
  /** All of these must be on the key. */
  scopes: readonly ('read' | 'write')[]
  /** The plan that the organization needs; null = any. */
  plan: 'enterprise' | null
  /** The budget that the operation shares with others of the same name; null = no limit. */
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

/** Fields with a default in the document. */`
