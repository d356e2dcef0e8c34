import { type Document, listOperations } from './document.ts'

/** Writes the text of generated/client.ts: the type of the client with one method for each operationId, and their requests. */
export function writeClient(document: Document, { name, up }: { name: string; up: string }): string {
  const operations = listOperations(document)
  const methods = operations.map(
    ({ operation: { operationId, summary } }) =>
      `  /** ${summary}. */\n  ${operationId}: Method<operations['${operationId}']>`,
  )
  const calls = operations.map(({ path, method, operation: { operationId, responses } }) => {
    const statuses = Object.keys(responses).map(Number)
    if (statuses.some(Number.isNaN)) {
      throw new Error(`${operationId} has a response without a status number. List each status: results narrow by it.`)
    }
    return `  ${operationId}: ['${method}', '${path}', [${statuses.join(', ')}]],`
  })
  return `import type { Call, Method } from '${up}spec/package/client/method.ts'
import type { operations } from './openapi.ts'

/** A client of the operations; spec/package/client/ makes one. */
export interface ${name} {
${methods.join('\n')}
}

/** The request of each method, and the statuses that the document lists. */
export const calls: Readonly<Record<keyof operations, Call>> = {
${calls.join('\n')}
}
`
}
