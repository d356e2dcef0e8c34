import {
  type ApiContent,
  type ApiDocument,
  type ApiParameter,
  type PlacedOperation,
  resolveReference,
} from './api-document.ts'

/** A request that a reader can send, made of the examples in the document. */
export interface SampleRequest {
  operationId: string
  /** Upper case. */
  method: string
  /** Where the server listens, without a trailing slash. */
  baseUrl: string
  /** With query, encoded, without the server. */
  path: string
  /** The parameters as the document has them, by place. */
  parameters: Record<'path' | 'query' | 'header', Record<string, unknown>>
  /** undefined = the request has no body. */
  body: unknown
  /** Whether the body is a file of any kind. */
  isRaw?: boolean
  /** Whether the operation is one of the second document. */
  isExtension?: boolean
  /** The status of the first success; undefined = the document lists none. */
  successStatus: number | undefined
}

export function createSampleRequest(document: ApiDocument, placed: PlacedOperation): SampleRequest {
  const { operationId, responses } = placed.operation
  const given = (placed.operation.parameters ?? []).map(each => resolveReference<ApiParameter>(document, each))
  // They come from an earlier answer, which a reader does not have yet.
  const fromAnswers = ['If-None-Match', 'cursor']
  const shown = given.filter(({ name, example }) => example !== undefined && !fromAnswers.includes(name))
  // The settings of an example may not fit the file of a reader.
  const isSent = (each: ApiParameter) => each.required || !isRaw(document, placed)
  const inPlace = (place: string) =>
    Object.fromEntries(
      shown.filter(each => each.in === place && isSent(each)).map(({ name, example }) => [name, example]),
    )
  const parameters = { path: inPlace('path'), query: inPlace('query'), header: inPlace('header') }
  const success = Object.keys(responses).find(status => status.startsWith('2'))
  return {
    operationId,
    method: placed.method.toUpperCase(),
    baseUrl: baseUrl(document),
    path: fillPath(placed.path, parameters.path) + writeQuery(parameters.query),
    parameters,
    body: findBody(document, placed),
    isRaw: isRaw(document, placed),
    isExtension: Object.keys(document.paths).some(path => path.startsWith('/quire/')),
    successStatus: success === undefined ? undefined : Number(success),
  }
}

function findBody(document: ApiDocument, { operation }: PlacedOperation): unknown {
  const body = operation.requestBody && resolveReference<ApiContent>(document, operation.requestBody)
  const [example] = Object.values(body?.content?.['application/json']?.examples ?? {})
  return example && resolveReference<{ value: unknown }>(document, example).value
}

function isRaw(document: ApiDocument, { operation }: PlacedOperation): boolean {
  const body = operation.requestBody && resolveReference<ApiContent>(document, operation.requestBody)
  return body?.['x-raw-body'] === true
}

function baseUrl({ servers = [] }: ApiDocument): string {
  const [server] = servers
  const variables = Object.entries(server?.variables ?? {})
  return variables.reduce((url, [name, { default: value }]) => url.replaceAll(`{${name}}`, value), server?.url ?? '')
}

function fillPath(path: string, values: Record<string, unknown>): string {
  return Object.entries(values).reduce(
    (filled, [name, value]) => filled.replaceAll(`{${name}}`, encodeURIComponent(String(value))),
    path,
  )
}

function writeQuery(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
