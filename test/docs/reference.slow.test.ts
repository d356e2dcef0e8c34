import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiDocument, listOperations } from '../../server/docs/api-document.ts'
import { type Sample, writeSamples } from '../../server/docs/reference.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { repository, sources } from './shipped-documentation.ts'

const run = promisify(execFile)
const client = join(repository, 'spec/package/client/index.ts')
const extensionsClient = join(repository, 'spec/package/client/extensions.ts')
const samples = [sources.document, sources.extensions].flatMap(document =>
  listOperations(document).flatMap(placed =>
    writeSamples(document, placed).map(sample => ({ name: placed.operation.operationId, ...sample })),
  ),
)

/** The answer of a sample, as it is printed: the status, and the error or the job. */
interface Printed {
  status: number
  text: string
}

let folder: string
let server: TestServer
let key: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-samples-'))
  const line =
    'docs.example.com:443 203.0.113.9 - - [20/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5120 "-" "Mozilla/5.0 Firefox/145.0"'
  writeFileSync(join(folder, 'access.log'), `${line}\n`)
  server = await startTestServer()
  const { organizationId, projectId } = await createOrganization(server.store)
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: null, createdAt: Date.now() })
  key = (await createApiKey(server.store, organizationId)).key
})
afterAll(async () => {
  await server.dispose()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a sample as a reader would, against the server of this test. */
const runners: Record<Sample['language'], (text: string, env: NodeJS.ProcessEnv) => Promise<Printed>> = {
  async curl(text, env) {
    const { stdout } = await run('sh', ['-c', `${text} -s -w '\n%{http_code}'`], { env, cwd: folder })
    const [body = '', status] = stdout.trim().split('\n')
    return { status: Number(status), text: body }
  },
  async TypeScript(text, env) {
    const file = join(folder, 'sample.mts')
    const source = text.replace("'quire-spec'", `'${pathToFileURL(client)}'`)
    writeFileSync(file, source.replace("'quire-spec/extensions'", `'${pathToFileURL(extensionsClient)}'`))
    const { stdout, stderr } = await run(process.execPath, [file], { env, cwd: folder })
    const [, refusal, body = ''] = /^(\d{3}) ([\s\S]*)/.exec(stderr) ?? []
    return refusal ? { status: Number(refusal), text: body } : { status: 202, text: stdout }
  },
  async Python(text, env) {
    const { stdout } = await run('python3', ['-c', text], { env, cwd: folder })
    return { status: Number(stdout.slice(0, 3)), text: stdout.slice(4) }
  },
}

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.each([
  { language: 'curl', program: 'curl' },
  { language: 'TypeScript', program: 'Node' },
  { language: 'Python', program: 'python3' },
] as const)('in $language (needs $program)', ({ language }) => {
  test.skipIf(language === 'Python' && !hasPython).each([
    // The ids in the document are unknown to this server. A 404 shows that key, path and query were accepted.
    ['getAgentJob', 404],
    ['getUniqueVisitors', 404],
    ['startStaticExportJob', 202],
    ['getStaticExportJob', 404],
    ['generateStaticExportBundle', 404],
  ])('the sample of %s works as pasted', async (name, expected) => {
    const sample = samples.find(each => each.name === name && each.language === language)?.text ?? ''
    const env = { ...process.env, QUIRE_API_KEY: key }
    const { status, text } = await runners[language](sample.replace('http://127.0.0.1:8787', server.url), env)
    expect(status).toBe(expected)
    expect(text).toMatch(expected === 202 ? /jobId\W+se_[0-9a-f]{16}/ : /error\W+(This organization has no|Invalid) /)
  })
})

describe.each(['curl', 'TypeScript', 'Python'] as const)('in %s, of the extensions', language => {
  test.skipIf(language === 'Python' && !hasPython).each([
    ['listAgentJobs', 404],
    ['reportAgentJob', 404],
    ['archiveAgentJob', 404],
    ['listExports', 200],
    ['deleteExport', 404],
    ['cancelExport', 404],
    ['sendVisits', 404],
    ['sendVisitsByHost', 200],
    ['sendPageView', 404],
    ['createWebhook', 201],
    ['listWebhooks', 200],
    ['deleteWebhook', 404],
    ['rotateWebhookSecret', 404],
    ['sendTestEvent', 404],
    ['listDeliveries', 404],
  ])('the sample of %s works as pasted', async (name, expected) => {
    const sample = samples.find(each => each.name === name && each.language === language)?.text ?? ''
    const env = { ...process.env, QUIRE_API_KEY: key }
    const { status, text } = await runners[language](sample.replace('http://127.0.0.1:8787', server.url), env)
    // The sample in TypeScript tells a success by the data that it prints.
    const success = language === 'TypeScript' && expected < 300 ? 202 : expected
    expect({ status, text }).toEqual({ status: success, text: expect.stringMatching(/^\{/) })
    if (expected === 404) expect(text).toMatch(/error\W+(This organization has no|Invalid) /)
    // One line of the host of a site: the page view of a visitor.
    if (name === 'sendVisitsByHost') expect(text).toMatch(/(counted|known)\W+1\b/)
  })
})

test('every operation has a sample in each language', () => {
  expect(samples).toHaveLength(3 * (5 + listOperations(sources.extensions).length))
})

test('the samples in TypeScript compile, strictly', () => {
  const texts = new Map(
    samples
      .filter(({ language }) => language === 'TypeScript')
      .map(({ name, text }) => [join(repository, 'test/docs', `${name}.sample.mts`), text]),
  )
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2024.d.ts'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    paths: { 'quire-spec': [client], 'quire-spec/extensions': [extensionsClient] },
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = file => texts.has(file) || fileExists(file)
  host.readFile = file => texts.get(file) ?? readFile(file)
  host.getSourceFile = (file, target) => {
    const text = texts.get(file)
    return text === undefined ? getSourceFile(file, target) : ts.createSourceFile(file, text, target)
  }
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([...texts.keys()], options, host))
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
})

describe('hostile values', () => {
  const document: ApiDocument = {
    info: { title: 'a', version: '1' },
    servers: [{ url: 'http://{address}', variables: { address: { default: 'api.test' } } }],
    paths: {},
    components: { schemas: {} },
  }
  const body = { text: 'a\'b"c\\d\n$é`{1}', none: null, yes: true, 'not-a-name': [1, ['x'.repeat(80)]], empty: {} }
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
  const requestBody = { content: { 'application/json': { schema: {}, examples: { first: { value: body } } } } }
  const write = (language: Sample['language'], more = {}) => {
    const placed = { path: '/x/{id}', method: 'post', operation: { ...operation, ...more } }
    return writeSamples(document, placed).find(sample => sample.language === language)?.text ?? ''
  }

  test('are quoted for the shell and encoded for the address', async () => {
    const shell = `curl() { printf '%s\\n' "$@"; }; QUIRE_API_KEY=key; ${write('curl')}`
    const { stdout } = await run('sh', ['-c', shell])
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

  test('are the same values in TypeScript', () => {
    const [, argument = ''] = /quire\.a\(([\s\S]*)\)\n(?:if|console)/.exec(write('TypeScript', { requestBody })) ?? []
    const options: unknown = new Function(`return ${argument}`)()
    const params = { path: { id: 'a/b' }, query: { q: 'c+d e' }, header: { 'X-Name': "it's" } }
    expect(options).toEqual({ params, body })
  })

  test.skipIf(!hasPython)('are the same values in Python (needs python3)', async () => {
    const [, argument = ''] = /json\.dumps\(([\s\S]*)\)\.encode/.exec(write('Python', { requestBody })) ?? []
    const { stdout } = await run('python3', ['-c', `import json\nprint(json.dumps(${argument}))`])
    expect(JSON.parse(stdout)).toEqual(body)
    expect(write('Python', { requestBody })).toContain('"http://api.test/x/a%2Fb?q=c%2Bd%20e"')
  })
})
