// Checks the real server against both documents with Dredd. Each documented response needs a transaction that passes, or its reason
// in `unreached` of dredd-requests.cts.
//
//   node test/contract/dredd.ts [--postgres] [--json FILE]
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dereferenceDocument, listDocumentedResponses } from '../../scripts/generate/dereference.ts'
import type { Document } from '../../scripts/generate/document.ts'
import { startPostgres } from '../support/postgres/start-postgres.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'
import { startServe } from '../support/process.ts'
import { prepareDreddState } from './dredd-state.ts'

const { values } = parseArgs({
  // With --postgres, the server uses a new database of the PostgreSQL of the tests.
  options: { json: { type: 'string' }, postgres: { type: 'boolean', default: false } },
})
const postgres = values.postgres ? await startPostgres() : undefined
if (postgres && 'missing' in postgres.found) {
  console.log(`Skipped on PostgreSQL: ${postgres.found.missing}`)
  report({ passed: 0, failed: 0, skipped: 1 })
  process.exit()
}
const database = postgres && 'url' in postgres.found ? await createTestDatabase(postgres.found.url) : undefined
const folder = mkdtempSync(join(tmpdir(), 'quire-dredd-'))
const resultFile = join(folder, 'result.json')
const documentFile = join(folder, 'openapi.json')

const documents = ['generated/openapi.json', 'generated/extensions/openapi.json'].map(
  file => JSON.parse(readFileSync(file, 'utf8')) as Document,
)
const documented = (await Promise.all(documents.map(listDocumentedResponses))).flat()
const [first, second] = await Promise.all(documents.map(dereferenceDocument))
// Dredd reads OpenAPI 3.0 and resolves no references. Changing the version is enough, because only the schemas use features
// of 3.1. The hooks check the answers against the original documents, and Dredd takes half a second to read the schemas of one
// response, so it gets none.
const paths = withoutAnswers({ ...first?.paths, ...second?.paths })
writeFileSync(documentFile, JSON.stringify({ ...first, openapi: '3.0.3', paths, components: {} }))

const state = await prepareDreddState(join(folder, 'data'), database?.url)
const flags = [
  '--data',
  state.dataFolder,
  '--validate-responses',
  '--log-level',
  'info',
  '--visits-limit-bytes',
  '100000',
  '--agent',
  'demo',
  '--agent-unconfined',
]
const server = await startServe(database ? [...flags, '--database', database.url] : flags)
try {
  const code = await runDredd(server.url)
  const result = readResult()
  const wanted = documented.length - result.excused
  const complete = code === 0 && result.failed === 0 && result.passed === wanted
  console.log(`Dredd ${result.passed}/${wanted}; ${result.excused} more documented responses cannot be reached.`)
  if (!complete && result.failed === 0) result.failed = 1
  report(result)
  process.exitCode = complete ? 0 : 1
} finally {
  await server.end('SIGTERM')
  await database?.drop()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Keeps the media types of the answers. */
function withoutAnswers(paths: object): object {
  return JSON.parse(JSON.stringify(paths), (key, value) => {
    if (key !== 'responses') return value
    const answers = Object.entries(value as Record<string, { description: string; content?: object }>)
    return Object.fromEntries(
      answers.map(([status, { description, content }]) => {
        const types = Object.keys(content ?? {}).map(type => [type, {}])
        return [status, { description, ...(content && { content: Object.fromEntries(types) }) }]
      }),
    )
  })
}

function report(result: { passed: number; failed: number; skipped: number }): void {
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result))
}

function runDredd(url: string): Promise<number> {
  const hooks = join(import.meta.dirname, 'dredd-hooks.cts')
  // Only errors: Dredd would print hundreds of warnings about 3.1 keywords. The hooks print the findings.
  const args = [
    'node_modules/dredd/bin/dredd',
    documentFile,
    url,
    '--hookfiles',
    hooks,
    '--loglevel',
    'error',
    '--no-color',
  ]
  // In a file, because it is longer than a variable may be.
  const stateFile = join(folder, 'state.json')
  writeFileSync(stateFile, JSON.stringify({ ...state, documented, resultFile, url }))
  const env = { ...process.env, QUIRE_DREDD: stateFile }
  return new Promise((done, failed) => {
    spawn(process.execPath, ['--no-warnings', ...args], { stdio: 'inherit', env })
      .on('error', failed)
      .on('exit', code => done(code ?? 1))
  })
}

/** Reads the counts of the hooks. The exit code of Dredd is 0 even if it could not read the document. */
function readResult(): { passed: number; failed: number; skipped: number; excused: number } {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'))
  } catch {
    return { passed: 0, failed: 1, skipped: 0, excused: 0 }
  }
}
