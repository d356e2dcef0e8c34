import { type Body, type Document, listOperations, type Ref, resolve } from './document.ts'

/**
 * Writes the text of generated/fixtures.ts: the examples of the document, by operation, status, media type and name. The compiler
 * checks that they have the documented types.
 */
export function writeFixtures(document: Document): string {
  const fixtures = listOperations(document).map(({ operation: { operationId, requestBody, responses } }) => {
    const requests = requestBody && listExamples(document, requestBody)['application/json']
    const answers = Object.entries(responses).map(([status, given]) => [status, listExamples(document, given)])
    return [operationId, { requests: requests ?? {}, responses: Object.fromEntries(answers) }]
  })
  return `${types}
export const fixtures = ${JSON.stringify(Object.fromEntries(fixtures), undefined, 2)} satisfies Fixtures
`
}

/** Returns the examples of a body by media type and name. */
export function listExamples(document: Document, given: Ref | Body): Record<string, Record<string, unknown>> {
  const content = Object.entries(resolve<Body>(document, given).content ?? {})
  return Object.fromEntries(
    content.map(([mediaType, { examples = {} }]) => [
      mediaType,
      Object.fromEntries(
        Object.entries(examples).map(([name, example]) => [name, resolve<{ value: unknown }>(document, example).value]),
      ),
    ]),
  )
}

const types = `import type { operations } from './openapi.ts'

type Fixtures = {
  [Id in keyof operations]: {
    requests: Examples<operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never>
    responses: {
      [Status in keyof operations[Id]['responses']]: operations[Id]['responses'][Status] extends { content: infer Content }
        ? { [Type in keyof Content]: Examples<Content[Type]> }
        : object
    }
  }
}

interface Examples<Value> {
  [name: string]: Value
}

/** The examples of the document: the bodies of requests by name, and of answers by status, media type and name. */`
