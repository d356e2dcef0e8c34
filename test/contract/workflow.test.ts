import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRedocly } from '../../scripts/generate/redocly.ts'
import { startServer } from '../export/static-server.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
const workflow = 'workflows/export-site.arazzo.yaml'

let folder: string
let server: TestServer
let site: Awaited<ReturnType<typeof startServer>>
let key: string
beforeAll(async () => {
  // As in the package: the workflow beside the document.
  folder = mkdtempSync(join(tmpdir(), 'quire-workflow-'))
  cpSync(join(root, 'spec/workflows'), join(folder, 'workflows'), { recursive: true })
  cpSync(join(root, 'generated/openapi.yaml'), join(folder, 'openapi.yaml'))
  const text = readFileSync(join(folder, workflow), 'utf8')
  expect(text).toContain('retryAfter: 10')
  writeFileSync(join(folder, workflow), text.replace('retryAfter: 10', 'retryAfter: 0.2'))
  site = await startServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html')
    res.end('<!doctype html><html lang="en"><title>Docs</title><h1>Docs</h1><p>One page with some text.</p></html>')
  })
  const gone = await startServer((_req, res) => {
    res.statusCode = 404
    res.end()
  })
  await gone.close()
  server = await startTestServer({ verify: 'static' })
  const { organizationId, projectId } = await createOrganization(server.store)
  const add = (domain: string, origin: string) =>
    server.store.sites.insert({ domain, projectId, origin, createdAt: Date.now() })
  await add('docs.example.com', site.origin.href)
  await add('gone.example.com', gone.origin.href)
  key = (await createApiKey(server.store, organizationId)).key
})
afterAll(async () => {
  await server?.dispose()
  await site?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the workflow follows the rules of Arazzo', async () => {
  const { stdout, stderr } = await runRedocly(['lint', `spec/${workflow}`, '--format', 'json'], root)
  expect(JSON.parse(stdout || stderr).problems).toEqual([])
})

interface Report {
  files: Record<string, { executedWorkflows: { executedSteps: { stepId: string; response?: { body: unknown } }[] }[] }>
}

/** Runs the workflow as an integrator would. Returns whether it succeeded, and the answer of the last request of each step. */
async function runWorkflow(
  domain: string,
  apiKey: string,
): Promise<{ isDone: boolean; answers: Map<string, unknown> }> {
  const report = join(folder, 'report.json')
  const inputs = ['--input', `apiKey=${apiKey}`, '--input', `domain=${domain}`]
  const args = ['respect', workflow, '--server', `quire=${server.url}`, ...inputs, '--json-output', report]
  const { hasFailed } = await runRedocly(args, folder)
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const steps = Object.values(files).flatMap(file => file.executedWorkflows.flatMap(each => each.executedSteps))
  return { isDone: !hasFailed, answers: new Map(steps.map(({ stepId, response }) => [stepId, response?.body])) }
}

test('the workflow exports a site, and ends with a link to the bundle', async () => {
  const { isDone, answers } = await runWorkflow('docs.example.com', key)
  expect(answers.get('wait')).toMatchObject({ status: 'completed', pageCount: 1 })
  const { bundleUrl, sha256 } = answers.get('link') as { bundleUrl: string; sha256: string }
  const bytes = Buffer.from(await (await fetch(bundleUrl)).arrayBuffer())
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  expect(isDone).toBe(true)
})

test('the workflow ends when the export fails, with the reason', async () => {
  const { isDone, answers } = await runWorkflow('gone.example.com', key)
  expect(answers.get('wait')).toMatchObject({ status: 'failed', error: expect.stringMatching(/\w/) })
  expect([...answers.keys()]).toEqual(['start', 'wait'])
  expect(isDone).toBe(false)
})

test('the workflow ends at the first step with a wrong key', async () => {
  const { isDone, answers } = await runWorkflow('docs.example.com', 'quire_wrong')
  expect([...answers.keys()]).toEqual(['start'])
  expect(isDone).toBe(false)
})
