import { OperatorError } from '../../server/base/operator-error.ts'
import { listProblems } from './lint.ts'
import { runRedocly } from './redocly.ts'

/** The parts of the bundled OpenAPI document that generation reads. In `components`, every `$ref` is internal. */
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
  'x-rate-limits'?: Record<string, { quota: number; windowSeconds: number }>
  [key: string]: unknown
}
export interface Operation {
  operationId: string
  summary?: string
  security?: Record<string, string[]>[]
  parameters?: (Ref | Parameter)[]
  requestBody?: Ref | Body
  responses: Record<string, Ref | Body>
  'x-required-plan'?: string
  'x-rate-limit'?: string
  deprecated?: boolean
  /** The days from which an operation is deprecated, and after which it may be gone: `2027-01-31`. */
  'x-deprecated-since'?: string
  'x-sunset'?: string
}
export interface Ref {
  $ref: string
}
export interface Parameter {
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema: Ref | Schema
}
export interface Body {
  'x-raw-body'?: boolean
  required?: boolean
  headers?: Record<string, unknown>
  content?: Record<
    string,
    { schema: Ref | Schema; examples?: Record<string, Ref | { summary?: string; value: unknown }> }
  >
}
export interface Schema {
  required?: string[]
  properties?: Record<string, Ref | Schema>
  default?: unknown
  [keyword: string]: unknown
}

/** One operation with its place in the document. */
export interface Located {
  path: string
  method: string
  operation: Operation
}

/** The documents, below the top folder: the administration API, and what Quire adds. */
export const indexFile = 'spec/openapi.yaml'
export const extensionsFile = 'spec/extensions/openapi.yaml'

export const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

/**
 * Merges spec/ into one document with only internal references. Components are in alphabetical order, so that moving a file
 * does not change the output.
 *
 * @param root the top folder of the repository
 * @param file below `root`
 * @throws {OperatorError} with file and line when a file is missing or is not valid YAML.
 */
export async function bundleDocument(root: string, file = indexFile): Promise<Document> {
  const { stdout, stderr, hasFailed } = await runRedocly(['bundle', file, '--ext', 'json'], root)
  if (hasFailed) {
    const lines = await listProblems(root, file)
    if (lines.length === 0) throw new Error(`Redocly could not bundle ${file}:\n${stderr}`)
    throw new OperatorError(`${lines.join('\n')}\nCorrect spec/ and run the command again.`)
  }
  const { openapi, ...rest } = JSON.parse(stdout) as Document
  const components = Object.fromEntries(
    sortByName(rest.components).map(([kind, members]) => [kind, Object.fromEntries(sortByName(members))]),
  )
  return { openapi, 'x-generated': 'by npm run generate, do not edit', ...rest, components }
}

function sortByName<T>(record: Record<string, T>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns all operations, in the order of the document. */
export function listOperations(document: Document): Located[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = item[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )
}

/**
 * Returns the target of an internal reference, or any other value unchanged.
 *
 * @throws {Error} when the target does not exist.
 */
export function resolve<T extends object>(document: Document, value: Ref | T): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  const { $ref } = value
  const target = $ref
    .slice('#/'.length)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document)
  if (target === undefined) throw new Error(`The document has nothing at ${$ref}.`)
  return resolve(document, target as Ref | T)
}

/** Returns the JSON schema of a body; undefined when there is no body. The API uses no other media type. */
export function findJsonSchema(document: Document, given: Ref | Body | undefined): Schema | undefined {
  if (!given) return undefined
  const { content } = resolve<Body>(document, given)
  const schema = content?.['application/json']?.schema
  if (content && !schema)
    throw new Error(`A body has the media type ${Object.keys(content).join(', ')}. Use application/json.`)
  return schema && resolve<Schema>(document, schema)
}
