// The peer: openapi-backend on node:http with the same document, validation on, the same key check and the same handler.
import type { ServerResponse } from 'node:http'
import { type Context, OpenAPIBackend } from 'openapi-backend'
import { readAsset } from '../../../server/assets.ts'
import { getAgentJob } from '../../../server/operations/getAgentJob.ts'
import { openStore } from '../../../server/store/store.ts'
import { type Caller, hashKey, isWellFormedKey } from '../../../server/tenancy/api-key.ts'
import { serve, setting } from './child.ts'

const store = openStore(setting('BENCH_DATA'))

const api = new OpenAPIBackend({
  definition: JSON.parse(readAsset('generated/openapi.json')),
  validate: true,
  strict: true,
  // Its check of the document supports only OpenAPI 3.0, so `quick` skips the check. Requests are still validated.
  quick: true,
  securityHandlers: {
    adminApiKey({ request }) {
      const key = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
      if (key === undefined || !isWellFormedKey('quire_', key)) return undefined
      return store.apiKeys.authenticate(hashKey(key), Date.now())
    },
  },
  handlers: {
    async getAgentJob({ request, security }: Context, res: ServerResponse) {
      const { projectId = '', id = '' } = request.params
      const mediaType = 'application/json' as const
      const input = { params: { projectId, id }, query: {}, headers: {}, body: undefined, mediaType }
      const { status, body } = await getAgentJob(input, store, security.adminApiKey as Caller)
      answer(res, status, body)
    },
    validationFail: (_, res) => answer(res, 400, { error: 'The request breaks the contract.' }),
    unauthorizedHandler: (_, res) => answer(res, 401, { error: 'A valid admin API key is required.' }),
    notFound: (_, res) => answer(res, 404, { error: 'There is nothing at this path.' }),
  },
})
await api.init()

await serve((req, res) => {
  const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers }
  api.handleRequest(request, res).catch(error => answer(res, 500, { error: String(error) }))
})

function answer(res: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}
