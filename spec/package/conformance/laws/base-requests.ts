import type { Operation } from '../operations.ts'
import type { Ask, Session } from '../session.ts'

/** Returns the operations in the order of the documents. */
export function listOperations({ operations, extensions }: Session): Operation[] {
  return [...Object.values(operations), ...extensions]
}

/**
 * Returns a valid request of an operation, which starts nothing on a server that checks what the caller changes. An extension gets
 * ids that the kit created, or those of the examples, so that nothing else can be changed or deleted.
 */
export function baseRequest(session: Session, operation: Operation): Ask {
  const { settings, extensions } = session
  if (!extensions.includes(operation)) return operation.body ? { body: { domain: settings.domain } } : {}
  const [first = {}] = listExamples(operation)
  return { ...first, query: writeRequired(operation), path: createdIds(session, operation) }
}

/** Returns the query that an operation cannot do without, as the document shows it. */
function writeRequired({ parameters }: Operation): string {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required)
  return needed.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
}

/** Returns the bodies of an operation that its document shows; one request without a body if there is none. */
export function listExamples({ body, texts }: Operation): Ask[] {
  if (body) return body.examples.map(example => ({ body: example }))
  if (texts.length === 0) return [{}]
  return texts.map(([mediaType, text]) => ({ body: text, headers: { 'Content-Type': mediaType } }))
}

/** Returns the values of the path parameters of an extension, encoded. */
export function createdIds({ settings, known }: Session, { parameters }: Operation): Record<string, string> {
  const ids: Record<string, string> = { projectId: settings.project, ...known.created }
  const inPath = parameters.filter(parameter => parameter.in === 'path')
  return Object.fromEntries(
    inPath.map(({ name, example }) => [name, encodeURIComponent(ids[name] ?? String(example ?? 'kit-unknown'))]),
  )
}
