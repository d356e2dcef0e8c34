// Checks the real server against the document with Dredd. Each documented response needs a transaction that passes.
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

const document = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as Document
const documented = await listDocumentedResponses(document)
// Dredd reads OpenAPI 3.0 and resolves no references. Changing the version is enough, because only the schemas use features
// of 3.1. The hooks check the schemas against the original document.
writeFileSync(documentFile, JSON.stringify({ ...(await dereferenceDocument(document)), openapi: '3.0.3' }))

const state = await prepareDreddState(join(folder, 'data'), database?.url)
const flags = ['--data', state.dataFolder, '--validate-responses', '--log-level', 'info']
const server = await startServe(database ? [...flags, '--database', database.url] : flags)
try {
  const code = await runDredd(server.url)
  const result = readResult()
  const complete = code === 0 && result.failed === 0 && result.skipped === 0 && result.passed === documented.length
  console.log(`${result.passed} of ${documented.length} documented responses proved against the server.`)
  if (!complete && result.failed === 0) result.failed = 1
  report(result)
  process.exitCode = complete ? 0 : 1
} finally {
  await server.end('SIGTERM')
  await database?.drop()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
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
function readResult(): { passed: number; failed: number; skipped: number } {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'))
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
