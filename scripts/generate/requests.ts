import { dereferenceDocument } from './dereference.ts'
import {
  type Body,
  type Document,
  findJsonSchema,
  listOperations,
  type Parameter,
  resolve,
  type Schema,
} from './document.ts'

/**
 * Writes the text of generated/requests.ts: the parts of the document that describe requests. The mock checks requests with them in
 * web browsers, where the whole document would be too large.
 */
export async function writeRequests(document: Document): Promise<string> {
  const plain = await dereferenceDocument(document)
  const paths: Record<string, Record<string, object>> = {}
  for (const { path, method, operation } of listOperations(plain)) {
    const parameters = (operation.parameters ?? []) as Parameter[]
    const isJson = resolve<Body>(plain, operation.requestBody ?? {}).content?.['application/json'] !== undefined
    const body = isJson ? findJsonSchema(plain, operation.requestBody) : undefined
    const item = paths[path] ?? {}
    item[method] = {
      parameters: parameters.map(({ schema, ...parameter }) => ({
        ...withoutTexts(parameter),
        schema: shorten(schema as Schema),
      })),
      ...(body && { requestBody: { content: { 'application/json': { schema: shorten(body) } } } }),
    }
    paths[path] = item
  }
  return `/** The parts of the document that describe requests, without references. */
export const requests: { paths: Record<string, object> } = ${JSON.stringify({ paths }, undefined, 2)}
`
}

function shorten({ properties, items, ...schema }: Schema): object {
  const inner = Object.entries(properties ?? {}).map(([name, property]) => [name, shorten(property as Schema)])
  return {
    ...withoutTexts(schema),
    ...(properties && { properties: Object.fromEntries(inner) }),
    ...(items !== undefined && { items: shorten(items as Schema) }),
  }
}

function withoutTexts(value: object): object {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => name !== 'description' && name !== 'x-decision' && name !== 'title'),
  )
}
