import { expect, test } from 'vitest'
import { copyRequests } from '../../server/http/validator.ts'

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test('what requests refer to is kept, also through other components, and what only answers refer to is not', () => {
  const document = {
    openapi: '3.1.0',
    security: [{ key: [] }],
    paths: {
      '/things/{id}': {
        parameters: [{ $ref: '#/components/parameters/id' }],
        post: {
          operationId: 'makeThing',
          description: 'Makes a thing.',
          requestBody: { content: { 'application/json': { schema: ref('Thing') } } },
          responses: { 200: { content: { 'application/json': { schema: ref('Answer') } } } },
        },
      },
    },
    components: {
      parameters: { id: { in: 'path', name: 'id', schema: text }, unused: { in: 'query', name: 'x', schema: text } },
      schemas: {
        // A field may have the name of a keyword of operations.
        Thing: {
          oneOf: [ref('Round')],
          discriminator: { propertyName: 'shape', mapping: { square: '#/components/schemas/Square' } },
        },
        Round: { type: 'object', properties: { responses: text, inner: ref('Thing') } },
        Square: text,
        Answer: text,
      },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  }
  const { schemas, parameters } = document.components
  const { operationId, requestBody } = document.paths['/things/{id}'].post
  const copy = copyRequests(document)
  expect(copy).toEqual({
    openapi: '3.1.0',
    security: document.security,
    paths: {
      '/things/{id}': { parameters: [{ $ref: '#/components/parameters/id' }], post: { operationId, requestBody } },
    },
    components: {
      parameters: { id: parameters.id },
      schemas: { Thing: schemas.Thing, Round: schemas.Round, Square: schemas.Square },
      securitySchemes: document.components.securitySchemes,
    },
  })
  // The validator changes its copy.
  Object.assign((copy as typeof document).components.schemas.Round.properties, { inner: text })
  expect(schemas.Round.properties.inner).toEqual(ref('Thing'))
})
