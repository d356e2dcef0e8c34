import { type Document, listOperations } from './document.ts'
import { listExamples } from './fixtures.ts'

/**
 * Writes the text of generated/extensions/errors.ts: the examples of errors of each operation. The mock answers with them. It has each
 * body once, because the fixtures repeat most of them at every operation and would be too large for the package.
 */
export function writeErrors(document: Document): string {
  const examples: string[] = []
  const places = listOperations(document).map(({ operation: { operationId, responses } }) => {
    const errors = Object.entries(responses).flatMap(([status, given]) =>
      Number(status) < 400
        ? []
        : Object.entries(listExamples(document, given)['application/json'] ?? {}).map(([name, body]) =>
            JSON.stringify({ status: Number(status), name, body }),
          ),
    )
    for (const error of errors) if (!examples.includes(error)) examples.push(error)
    return [operationId, errors.map(error => examples.indexOf(error))]
  })
  return `/** The examples of errors, each once. */
export const examples: readonly { status: number; name: string; body: unknown }[] = [
${examples.map(example => `  ${example},\n`).join('')}]

/** The places in \`examples\` of the errors of each operation. */
export const errors: Readonly<Record<string, readonly number[]>> = ${JSON.stringify(Object.fromEntries(places))}
`
}
