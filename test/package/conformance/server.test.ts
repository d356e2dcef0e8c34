import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Report, Settings } from '../../../spec/package/conformance/index.ts'
import { runProgram } from '../../support/program.ts'
import { type ConformanceServer, startConformanceServer } from './conformance-server.ts'

let server: ConformanceServer
let folder: string
beforeAll(async () => {
  server = await startConformanceServer(['json', 'text'])
  folder = mkdtempSync(join(tmpdir(), 'quire-conformance-report-'))
})
afterAll(async () => {
  await server.dispose()
  rmSync(folder, { recursive: true, force: true })
})

function toFlags(settings: Settings): string[] {
  const named = {
    url: settings.url,
    'other-key': settings.otherKey,
    'read-key': settings.readKey,
    'write-key': settings.writeKey,
    project: settings.project,
    'agent-job': settings.agentJob,
    domain: settings.domain,
    'export-job': settings.exportJob,
    'max-requests': '40',
  }
  return Object.entries(named).flatMap(([name, value]) => [`--${name}`, String(value)])
}

const secretsOf = ({ key, otherKey, readKey, writeKey }: Settings) => [key, otherKey, readKey, writeKey] as string[]

test('our server passes every check that can be done', async () => {
  const settings = server.settings('json')
  const file = join(folder, 'report.html')
  const { code, stdout, stderr } = await runProgram(
    ['scripts/conformance.ts', ...toFlags(settings), '--json', '--report', file],
    { env: { QUIRE_CONFORMANCE_KEY: settings.key } },
  )
  const report = JSON.parse(stdout) as Report
  expect({ code, stderr, failures: report.failures }).toEqual({ code: 0, stderr: '', failures: [] })
  const open = report.checks.filter(({ passed }) => passed === 0).map(({ check, notDone }) => [check, ...notDone])
  expect(open).toEqual([
    ['use_after_free', expect.stringMatching(/^The link expires in 36\d\d seconds, and --max-wait/)],
  ])
  expect(report.checks.filter(({ notDone }) => notDone.length > 0).map(({ check }) => check)).toEqual([
    'use_after_free',
  ])
  // What nobody can cause from outside.
  const unreached = report.unreached.map(({ operation, status }) => `${operation} ${status}`)
  expect(unreached).toEqual([
    'getAgentJob 500',
    'getUniqueVisitors 500',
    'startStaticExportJob 429',
    'startStaticExportJob 500',
    'startStaticExportJob 503',
    'getStaticExportJob 500',
    'generateStaticExportBundle 500',
    'generateStaticExportBundle 503',
  ])
  const html = readFileSync(file, 'utf8')
  expect(html).toContain('<h2>Checks</h2>')
  expect(html).not.toContain('<script')
  for (const secret of secretsOf(settings)) expect(stdout + html).not.toContain(secret)
})

test('without the ids of the server, it says what to set', async () => {
  const settings = server.settings('text')
  const { code, stdout, stderr } = await runProgram(
    ['scripts/conformance.ts', '--url', settings.url, '--key', settings.key, '--max-requests', '4'],
    {},
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('not done: Set --other-key to a key of another organization.')
  expect(stdout).toContain('The project prj_5b1c2d3e4f506172 is unknown. Set --project.')
  expect(stdout).toContain('The site docs.example.com is not registered. Set --domain.')
  expect(stdout).toContain(
    '  No answer for the agent job aj_9c41d2e0b7a65f38 of the project prj_5b1c2d3e4f506172: set --project and --agent-job.\n    getAgentJob 200\n',
  )
  expect(stdout).toContain(
    '  Set --write-key to a key without the scope read.\n    getAgentJob 403, getUniqueVisitors 403, getStaticExportJob 403\n',
  )
  expect(stdout).not.toContain(settings.key)
})
