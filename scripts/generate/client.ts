import { type Document, listOperations } from './document.ts'

/** Writes the text of generated/client.ts: the type of the client with one method for each operationId, and their requests. */
export function writeClient(document: Document): string {
  const operations = listOperations(document)
  const methods = operations.map(
    ({ operation: { operationId, summary } }) => `  /** ${summary}. */\n  ${operationId}: Method<'${operationId}'>`,
  )
  const calls = operations.map(({ path, method, operation: { operationId, responses } }) => {
    const statuses = Object.keys(responses).map(Number)
    if (statuses.some(Number.isNaN)) {
      throw new Error(`${operationId} has a response without a status number. List each status: results narrow by it.`)
    }
    return `  ${operationId}: ['${method}', '${path}', [${statuses.join(', ')}]],`
  })
  return `import type { Call, Method, OperationId } from '../spec/package/client/method.ts'

/** The client of the administration API; \`createClient\` in spec/package/client/ makes one. */
export interface QuireClient {
${methods.join('\n')}
}

/** The request of each method, and the statuses that the document lists. */
export const calls: Readonly<Record<OperationId, Call>> = {
${calls.join('\n')}
}
`
}
