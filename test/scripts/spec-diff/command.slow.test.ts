import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const copied = [
  'CHANGELOG.md',
  'spec',
  'generated/openapi.yaml',
  'scripts/generate',
  'scripts/spec-diff',
  'scripts/spec-diff.ts',
  'scripts/run-program.ts',
  'server/base/operator-error.ts',
  'server/flags/setting.ts',
  'package.json',
]

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'quire-spec-diff-'))
  for (const path of copied) {
    mkdirSync(join(copy, path, '..'), { recursive: true })
    cpSync(join(root, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function diff(args: string[], variables: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/spec-diff.ts', ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  })
  return { status, stdout, stderr }
}
const read = (file: string) => readFileSync(join(copy, file), 'utf8')

test('--help shows examples and exit codes', () => {
  const { status, stdout } = diff(['--help'])
  expect(status).toBe(0)
  expect(stdout).toContain('npm run -s spec:diff -- --json')
  expect(stdout).toContain('Exit codes: 0 may be released, 1 breaking')
})

test('an unknown flag ends with exit code 2, a missing or wrong document with 1', () => {
  expect(diff(['--jsn'])).toMatchObject({ status: 2, stderr: expect.stringContaining('--jsn') })
  expect(diff(['--released', 'missing.yaml'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('missing.yaml cannot be read'),
  })
  expect(diff(['--released', 'package.json'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not an OpenAPI document'),
  })
  expect(diff(['--released', 'CHANGELOG.md'])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^CHANGELOG\.md:\d+: This is not valid YAML or JSON: .+\.\n$/),
  })
})

test('a spec/ that is not YAML ends with exit code 1, file and line', () => {
  const file = 'spec/schemas/AgentJob.yaml'
  const text = read(file)
  writeFileSync(join(copy, file), text.replace('type: object', 'type: object\n  bad: [1'))
  const { status, stdout, stderr } = diff([])
  writeFileSync(join(copy, file), text)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^spec\/schemas\/AgentJob\.yaml:\d+: .+\n/)
  expect(stderr.trimEnd().split('\n').at(-1)).toBe('Correct spec/ and run the command again.')
})

test('a variable that is neither on nor off ends with exit code 2', () => {
  const { status, stderr } = diff([], { QUIRE_SPEC_DIFF_RELEASE: 'maybe' })
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('QUIRE_SPEC_DIFF_RELEASE') })
})

test('--release makes the document the released one', () => {
  appendFileSync(join(copy, 'spec/released/openapi.yaml'), '# an earlier one\n')
  expect(diff(['--release'], { QUIRE_SPEC_DIFF_JSON: '0' })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /\nCopied generated\/openapi\.yaml to spec\/released\/openapi\.yaml, and removed all entries of spec\/released\/accepted\.yaml\.\n$/,
    ),
  })
  expect(read('spec/released/openapi.yaml')).toBe(read('generated/openapi.yaml'))
})

test('a breaking edit of spec/ ends with exit code 1, in JSON and in the changelog', () => {
  const file = 'spec/schemas/StartExport.yaml'
  writeFileSync(join(copy, file), read(file).replace('required: [domain]', 'required: [domain, version]'))
  const { status, stdout, stderr } = diff(['--json', '--write', '--release'])
  expect(status).toBe(1)
  expect(stderr.split('\n')).toEqual([
    'Wrote the changes of the API to CHANGELOG.md (1).',
    'spec/released/openapi.yaml is unchanged, because the document may not be released.',
    '',
  ])
  expect(JSON.parse(stdout)).toMatchObject({
    released: '2.0.0',
    problem: expect.stringContaining('1 breaking change needs a new major version'),
    changes: [{ id: 'request-property-required', level: 'breaking', operations: ['startStaticExportJob'] }],
  })
  expect(read('CHANGELOG.md')).toContain('- `schema StartExport.version`: It is now required. ')
  expect(read('spec/released/openapi.yaml')).toBe(read('generated/openapi.yaml'))
})

test('with a new major version it may be released, after npm run generate', () => {
  const file = 'spec/openapi.yaml'
  writeFileSync(join(copy, file), read(file).replace('version: 2.0.0', 'version: 3.0.0'))
  const changelog = read('CHANGELOG.md')
  expect(diff(['--write', '--release'])).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('These changes may be released.'),
    stderr: expect.stringContaining('Run npm run generate first.'),
  })
  expect(read('CHANGELOG.md')).toBe(changelog)
})

test('--write and --release together write the changelog and release, and the entry stays', () => {
  const generated = read('generated/openapi.yaml')
  const required = generated.replace('version: 2.0.0', 'version: 3.0.0')
  writeFileSync(join(copy, 'generated/openapi.yaml'), required)
  const file = 'spec/schemas/StartExport.yaml'
  writeFileSync(join(copy, file), read(file).replace('required: [domain, version]', 'required: [domain]'))
  const { status, stdout } = diff(['--write', '--release'])
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/CHANGELOG\.md.*\nCopied generated\/openapi\.yaml to /),
  })
  expect(read('spec/released/openapi.yaml')).toBe(required)
})
