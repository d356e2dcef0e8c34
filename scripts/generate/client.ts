import { type Body, type Document, listOperations, type Operation, type Parameter, resolve } from './document.ts'

/** Writes the text of generated/client.ts: one method for each operationId. */
export function writeClient(document: Document): string {
  const methods = listOperations(document).map(({ path, method, operation }) => {
    const parameters = (operation.parameters ?? []).map(given => resolve<Parameter>(document, given))
    const body = operation.requestBody && resolve<Body>(document, operation.requestBody)
    const optional = !body?.required && !parameters.some(parameter => parameter.required)
    const type = `paths['${path}']['${method}']`
    const send = `(init${optional ? '?' : ''}: FetchOptions<${type}>) => client.${method.toUpperCase()}('${path}', init)`
    return `    /** ${operation.summary}. */
    ${operation.operationId}: ${hasOnlyJson(document, operation) ? send : `(${send}) as Method<${type}>`},`
  })
  return `import createClient, { type FetchOptions, type FetchResponse, type ParseAs } from 'openapi-fetch'
import type { paths } from './openapi.ts'

export interface QuireClientOptions {
  /** Address of the server, such as http://127.0.0.1:8787. The version is part of the paths. */
  baseUrl: string
  /** An admin API key. */
  apiKey: string
  /** Replaces the global fetch. */
  fetch?: (request: Request) => Promise<Response>
}

export type QuireClient = ReturnType<typeof createQuireClient>

/** With \`parseAs\`, \`data\` is the text, the bytes or the stream of an answer that is not JSON, such as CSV. */
interface Method<Operation extends object> {
  <As extends Exclude<ParseAs, 'json'>>(
    init: FetchOptions<Operation> & { parseAs: As },
  ): Promise<FetchResponse<Operation, { parseAs: As }, 'application/json'>>
  (init: FetchOptions<Operation>): Promise<FetchResponse<Operation, {}, 'application/json'>>
}

/**
 * Creates a client of the administration API. Each method returns \`{ data, response }\` for a 2xx status and
 * \`{ error, response }\` for the other documented statuses. It rejects only if it gets no response.
 */
export function createQuireClient({ baseUrl, apiKey, fetch }: QuireClientOptions) {
  const client = createClient<paths, 'application/json'>({
    baseUrl,
    headers: { Authorization: \`Bearer \${apiKey}\` },
    ...(fetch && { fetch }),
  })
  return {
${methods.join('\n')}
  }
}
`
}

function hasOnlyJson(document: Document, { responses }: Operation): boolean {
  const types = Object.values(responses).flatMap(given => Object.keys(resolve<Body>(document, given).content ?? {}))
  return types.every(type => type === 'application/json')
}
