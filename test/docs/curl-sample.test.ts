import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiDocument, listOperations } from '../../server/docs/api-document.ts'
import { writeCurlSample } from '../../server/docs/curl-sample.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { sources } from './shipped-documentation.ts'

const run = promisify(execFile)
const samples = listOperations(sources.document).map(placed => ({
  name: placed.operation.operationId,
  sample: writeCurlSample(sources.document, placed),
}))

let server: TestServer
let key: string
beforeAll(async () => {
  server = await startTestServer()
  const { organizationId, projectId } = await createOrganization(server.store)
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: null, createdAt: Date.now() })
  key = (await createApiKey(server.store, organizationId)).key
})
afterAll(() => server.dispose())

/** Runs a sample in a shell, as a reader would, against the server of this test. */
async function paste(sample: string): Promise<{ status: number; body: { error?: string; status?: string } }> {
  const command = `${sample.replace('http://127.0.0.1:8787', server.url)} -s -w '\n%{http_code}'`
  const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, QUIRE_API_KEY: key } })
  const [body = '', status] = stdout.trim().split('\n')
  return { status: Number(status), body: JSON.parse(body) }
}

test.each([
  // The ids in the document are unknown to this server. A 404 shows that key, path and query were accepted.
  ['getAgentJob', 404],
  ['getUniqueVisitors', 404],
  ['startStaticExportJob', 202],
  ['getStaticExportJob', 404],
  ['generateStaticExportBundle', 404],
])('the sample of %s works as pasted', async (name, expected) => {
  const sample = samples.find(each => each.name === name)?.sample ?? ''
  expect(sample).toMatch(/^curl -H "Authorization: Bearer \$QUIRE_API_KEY"/)
  const { status, body } = await paste(sample)
  expect({ status, error: body.error ?? '' }).toEqual({
    status: expected,
    error: expected === 202 ? '' : expect.stringMatching(/^(This organization has no|Invalid) /),
  })
})

test('every operation has a sample', () => {
  expect(samples).toHaveLength(5)
})

test('values are quoted for the shell and encoded for the address', async () => {
  const document: ApiDocument = {
    info: { title: 'a', version: '1' },
    servers: [{ url: 'http://{address}', variables: { address: { default: 'api.test' } } }],
    paths: {},
    components: { schemas: {} },
  }
  const operation = {
    operationId: 'a',
    responses: {},
    parameters: [
      { name: 'id', in: 'path', required: true, schema: {}, example: 'a/b' },
      { name: 'q', in: 'query', schema: {}, example: 'c+d e' },
      { name: 'unused', in: 'query', schema: {} },
      { name: 'X-Name', in: 'header', schema: {}, example: "it's" },
    ],
  }
  const sample = writeCurlSample(document, { path: '/x/{id}', method: 'post', operation })
  const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; QUIRE_API_KEY=key; ${sample}`])
  expect(stdout.trim().split('\n')).toEqual([
    '-H',
    'Authorization: Bearer key',
    '-H',
    "X-Name: it's",
    '-X',
    'POST',
    'http://api.test/x/a%2Fb?q=c%2Bd%20e',
  ])
})
