import {
  type ApiContent,
  type ApiDocument,
  type ApiParameter,
  type PlacedOperation,
  resolveReference,
} from './api-document.ts'

/** Writes a curl command for an operation from the examples in the document. It reads the key from $QUIRE_API_KEY. */
export function writeCurlSample(document: ApiDocument, { path, method, operation }: PlacedOperation): string {
  const parameters = (operation.parameters ?? []).map(given => resolveReference<ApiParameter>(document, given))
  const body = operation.requestBody && resolveReference<ApiContent>(document, operation.requestBody)
  const [example] = Object.values(body?.content?.['application/json']?.examples ?? {})
  const parts = ['curl -H "Authorization: Bearer $QUIRE_API_KEY"']
  for (const { name, in: place, example } of parameters) {
    // A reader has no ETag yet.
    if (place === 'header' && example !== undefined && name !== 'If-None-Match')
      parts.push(`-H ${quote(`${name}: ${example}`)}`)
  }
  if (example) {
    const { value } = resolveReference<{ value: unknown }>(document, example)
    parts.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(value))}`)
  } else if (method !== 'get') parts.push(`-X ${method.toUpperCase()}`)
  parts.push(quote(`${baseUrl(document)}${fillPath(path, parameters)}${writeQuery(parameters)}`))
  return parts.join(' \\\n  ')
}

function baseUrl({ servers = [] }: ApiDocument): string {
  const [server] = servers
  const variables = Object.entries(server?.variables ?? {})
  return variables.reduce((url, [name, { default: value }]) => url.replaceAll(`{${name}}`, value), server?.url ?? '')
}

function fillPath(path: string, parameters: readonly ApiParameter[]): string {
  const inPath = parameters.filter(parameter => parameter.in === 'path')
  return inPath.reduce(
    (filled, { name, example }) => filled.replaceAll(`{${name}}`, encodeURIComponent(String(example))),
    path,
  )
}

function writeQuery(parameters: readonly ApiParameter[]): string {
  const query = parameters.filter(parameter => parameter.in === 'query' && parameter.example !== undefined)
  const pairs = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Quotes a text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
