import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteTable } from '../../../server/http/routes.ts'

/** The documents name it. */
const usualAddress = 'http://127.0.0.1:8787'

/** An answer that is no operation of the API. */
export interface DocumentAnswer {
  contentType: string
  body: string
}

/**
 * Answers `/` with what this server is and has, and the paths of its documents with them, as the server does.
 *
 * @param table the operations that it has
 * @param place where the client reaches the mock, and the folder with openapi.json
 * @returns undefined for other requests
 */
export function findDocument(
  table: RouteTable,
  method: string,
  target: string,
  { baseUrl, folder }: { baseUrl: string; folder: string },
): DocumentAnswer | undefined {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').replace(usualAddress, baseUrl)
  if (method !== 'GET' && method !== 'HEAD') return undefined
  switch (target.split('?', 1)[0]) {
    case '/':
      return { contentType: 'application/json; charset=utf-8', body: describeMock(table, baseUrl) }
    case '/openapi.json':
      return { contentType: 'application/json; charset=utf-8', body: read('openapi.json') }
    case '/openapi.yaml':
      return { contentType: 'application/yaml; charset=utf-8', body: read('openapi.yaml') }
    case '/quire/v1/openapi.json':
      return { contentType: 'application/json; charset=utf-8', body: read('extensions/openapi.json') }
    default:
      return undefined
  }
}

function describeMock({ routes }: RouteTable, baseUrl: string): string {
  const operations = routes.map(({ operationId, method, path }) => `${method.toUpperCase()} ${path} (${operationId})`)
  const what = 'A mock of the Quire administration API. Any Bearer key is accepted, and nothing is stored.'
  return `${JSON.stringify({ what, document: `${baseUrl}/openapi.json`, extensions: `${baseUrl}/quire/v1/openapi.json`, operations }, undefined, 2)}\n`
}
