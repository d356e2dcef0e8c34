import { served } from '../server/http/served-routes.ts'
import { type Document, listParameters } from './requests.ts'

type Examples = Record<string, { $ref: string } | { value: unknown }>

/** Writes a ready-to-paste curl line for each operation, with its statuses and example names. */
export function writeLines(document: Document, baseUrl: string): string {
  const sections = served.routes.map(route => {
    const operation = document.paths[route.path]?.[route.method]
    const path = listParameters(document, route)
      .filter(parameter => parameter.in === 'path')
      .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), route.path)
    const method = route.method === 'get' ? '' : ` -X ${route.method.toUpperCase()}`
    const body = route.isRaw
      ? ` -H 'Content-Type: text/plain' --data-binary @access.log`
      : operation?.requestBody
        ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(firstExample(document, operation.requestBody))}'`
        : ''
    const lines = Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
      const others = route.mediaTypes
        .slice(1)
        .map(type => ({ type, names: Object.keys(listExamples(document, response, type)) }))
      return [
        `    ${status}  ${Object.keys(listExamples(document, response)).join('  ')}`,
        ...others
          .filter(({ names }) => names.length > 0)
          .map(({ type, names }) => `    ${status}  ${names.join('  ')}  (with Accept: ${type})`),
      ]
    })
    return [
      `${operation?.summary} (${route.operationId})`,
      `  curl -i${method} -H 'Authorization: Bearer any'${body} ${baseUrl}${path}`,
      ...lines,
    ].join('\n')
  })
  return `${sections.join('\n\n')}

Request any answer above by its status or its name:
  curl -i -H 'Authorization: Bearer any' -H 'Prefer: code=404' ${baseUrl}/v2/agent/any/job/any
  curl -i -H 'Authorization: Bearer any' -H 'Prefer: code=200, example=active' ${baseUrl}/v2/agent/any/job/any`
}

function listExamples(document: Document, given: object, mediaType = 'application/json'): Examples {
  const { content } = follow(document, given) as { content?: Record<string, { examples?: Examples }> }
  return content?.[mediaType]?.examples ?? {}
}

function firstExample(document: Document, given: unknown): unknown {
  const [first = { value: {} }] = Object.values(listExamples(document, given as object))
  return (follow(document, first) as { value: unknown }).value
}

/** Resolves a reference to components; returns other values unchanged. */
function follow(document: Document, value: object): object {
  if (!('$ref' in value)) return value
  const [kind = '', name = ''] = String(value.$ref).split('/').slice(-2)
  return document.components[kind]?.[name] as object
}
