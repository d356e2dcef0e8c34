import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-rules-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The ids of the rules that a copy of spec/ breaks after one edit. */
function lint(name: string, edit?: { file: string; from: string; to: string }): string[] {
  const spec = join(folder, name)
  cpSync(join(root, 'spec'), spec, { recursive: true })
  if (edit) {
    const file = join(spec, edit.file)
    const text = readFileSync(file, 'utf8')
    if (!text.includes(edit.from)) throw new Error(`${edit.file} has no ${JSON.stringify(edit.from)} to edit.`)
    writeFileSync(file, text.replace(edit.from, edit.to))
  }
  const args = [redocly, 'lint', join(spec, 'openapi.yaml'), '--config', join(spec, 'rules.yaml'), '--format', 'json']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  if (stdout === '') throw new Error(`redocly printed no report: ${stderr}`)
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string }[] }
  return [...new Set(problems.map(problem => problem.ruleId))]
}

test('the contract follows every rule, without warnings', () => {
  expect(lint('clean')).toEqual([])
})

test.each([
  { rule: 'rule/kebab-case', file: 'openapi.yaml', from: '/v1/static-export/jobs:', to: '/v1/staticExport/jobs:' },
  { rule: 'rule/operation-id-verb', file: 'paths/agent-job.yaml', from: 'getAgentJob', to: 'agentJob' },
  {
    rule: 'rule/scopes-stated',
    file: 'paths/agent-job.yaml',
    from: '  security:\n    - adminApiKey: [read]\n',
    to: '',
  },
  {
    rule: 'rule/statuses-everywhere',
    file: 'paths/agent-job.yaml',
    from: "    '500':\n      $ref: ../responses/ServerFault.yaml\n",
    to: '',
  },
  {
    rule: 'rule/statuses-everywhere',
    file: 'paths/visitors.yaml',
    from: "    '401':\n      $ref: ../responses/AnalyticsUnauthorized.yaml\n",
    to: '',
  },
  {
    rule: 'rule/request-id-everywhere',
    file: 'responses/ServerFault.yaml',
    from: 'headers:\n  X-Request-Id:\n    $ref: ../headers.yaml#/RequestId\n',
    to: '',
  },
  { rule: 'rule/request-id-declared', file: 'responses/ServerFault.yaml', from: 'X-Request-Id:', to: 'X-Trace-Id:' },
  {
    rule: 'rule/example-of-body',
    file: 'responses/ServerFault.yaml',
    from: '    examples:\n      fault:\n        $ref: ../examples/errors.yaml#/Fault\n',
    to: '',
  },
  { rule: 'rule/example-of-parameter', file: 'parameters.yaml', from: '  example: prj_5b1c2d3e4f506172\n', to: '' },
  { rule: 'rule/example-of-header', file: 'headers.yaml', from: '  example: 36\n', to: '' },
  {
    rule: 'rule/example-of-property',
    file: 'schemas/StartExport.yaml',
    from: '    examples: [docs.example.com]\n',
    to: '',
  },
  {
    rule: 'rule/description-of-property',
    file: 'schemas/AgentJob.yaml',
    from: '    description: Id of the job. It has only letters, digits, dots, underscores, tildes and hyphens.\n',
    to: '',
  },
  { rule: 'rule/closed-objects', file: 'schemas/StartExport.yaml', from: 'additionalProperties: false\n', to: '' },
  {
    rule: 'rule/closed-objects',
    file: 'schemas/ApiError.yaml',
    from: 'additionalProperties: false',
    to: 'additionalProperties: true',
  },
  {
    rule: 'no-invalid-media-type-examples',
    file: 'examples/agent-job.yaml',
    from: 'status: failed',
    to: 'status: broken',
  },
  { rule: 'rule/decisions-apart', file: 'schemas/ApiError.yaml', from: 'Why a', to: 'Ours. Why a' },
  { rule: 'rule/decisions-apart', file: 'paths/agent-job.yaml', from: 'Poll until', to: '**Ours**: poll until' },
  { rule: 'no-invalid-parameter-examples', file: 'parameters.yaml', from: 'example: 250', to: 'example: 251' },
])('an edit of $file breaks $rule', ({ rule, ...edit }) => {
  expect(lint(`${rule.replace('/', '-')}-${edit.to.length}-${edit.file.length}`, edit)).toContain(rule)
})
