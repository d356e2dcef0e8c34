import type { SampleRequest } from './sample-request.ts'

/** Writes a curl command. It reads the key from $QUIRE_API_KEY. */
export function writeCurlSample({ method, baseUrl, path, parameters, body, isRaw }: SampleRequest): string {
  const parts = ['curl -H "Authorization: Bearer $QUIRE_API_KEY"']
  for (const [name, value] of Object.entries(parameters.header)) parts.push(`-H ${quote(`${name}: ${value}`)}`)
  if (isRaw) parts.push("-H 'Content-Type: text/plain'", '--data-binary @access.log')
  else if (body !== undefined) {
    if (method !== 'POST') parts.push(`-X ${method}`)
    parts.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`)
  } else if (method !== 'GET') parts.push(`-X ${method}`)
  parts.push(quote(`${baseUrl}${path}`))
  return parts.join(' \\\n  ')
}

/** Quotes a text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
