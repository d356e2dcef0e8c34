import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Body, Document, Operation } from '../../scripts/generate/document.ts'
import { writeFiles } from '../../scripts/generate/files.ts'

const root = join(import.meta.dirname, '../..')

const edits = [
  {
    file: 'spec/schemas/AgentJob.yaml',
    from: 'Model that the agent uses.',
    to: 'Name of the model.',
    stale: ['openapi.json', 'openapi.yaml', 'openapi.ts'],
  },
  {
    file: 'spec/paths/agent-job.yaml',
    from: '[read]',
    to: '[write]',
    stale: ['openapi.json', 'openapi.yaml', 'operations.ts'],
  },
  {
    file: 'spec/openapi.yaml',
    from: 'quota: 100',
    to: 'quota: 101',
    stale: ['openapi.json', 'openapi.yaml', 'operations.ts'],
  },
  { file: 'server/in-page/guard/is-at-home.ts', from: 'https?:', to: 'https:', stale: ['in-page.ts'] },
  { file: 'generated/in-page.ts', from: 'guardPage', to: 'guard', stale: ['in-page.ts'] },
  { file: 'generated/client.ts', from: 'getAgentJob', to: 'getAgentJobs', stale: ['client.ts'] },
]

describe('npm run generate', () => {
  let copy: string
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'quire-generate-'))
    for (const path of [
      'spec',
      'generated',
      'scripts/generate',
      'scripts/generate.ts',
      'scripts/layers.ts',
      'scripts/long-functions.ts',
      'scripts/run-program.ts',
      'server',
      'package.json',
    ]) {
      mkdirSync(join(copy, path, '..'), { recursive: true })
      cpSync(join(root, path), join(copy, path), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  })
  afterEach(() => rmSync(copy, { recursive: true, force: true }))

  function generate(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/generate.ts', ...args], {
      cwd: copy,
      encoding: 'utf8',
    })
    return { status, output: stdout + stderr }
  }
  function edit({ file, from, to }: { file: string; from: string; to: string }): void {
    const text = readFileSync(join(copy, file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} has no ${from} to edit.`)
    writeFileSync(join(copy, file), text.replace(from, to))
  }

  test('--check passes on the committed files', () => {
    expect(generate('--check')).toMatchObject({ status: 0 })
  })

  test.each(edits)(
    '--check names the files that an edit of $file makes stale, and the remedy',
    ({ stale, ...change }) => {
      edit(change)
      const { status, output } = generate('--check')
      expect(status).toBe(1)
      expect(output).toContain(stale.map(name => `generated/${name}`).join(', '))
      expect(output).toContain('npm run generate')
    },
  )

  test('npm run generate updates all of these files', () => {
    for (const change of edits) edit(change)
    expect(generate()).toMatchObject({ status: 0 })
    expect(generate('--check')).toMatchObject({ status: 0 })
  })

  test('--check names a missing file and an unknown one', () => {
    rmSync(join(copy, 'generated/openapi.ts'))
    writeFileSync(join(copy, 'generated/extra.ts'), '')
    const { status, output } = generate('--check')
    expect(status).toBe(1)
    expect(output).toContain('generated/openapi.ts, generated/extra.ts')
  })

  test.each([
    {
      fault: 'a reference to a missing file',
      change: { file: 'spec/openapi.yaml', from: 'paths/agent-job.yaml', to: 'paths/agent-jobs.yaml' },
      place: 'spec/openapi.yaml:',
      message: 'agent-jobs.yaml',
    },
    {
      fault: 'an example that its schema refuses',
      change: { file: 'spec/examples/agent-job.yaml', from: 'status: failed', to: 'status: broken' },
      place: 'spec/examples/agent-job.yaml:',
      message: 'no-invalid-media-type-examples',
    },
    {
      fault: 'a line that is not YAML',
      change: { file: 'spec/paths/visitors.yaml', from: '  tags: [analytics]', to: '  tags: [analytics' },
      place: 'spec/paths/visitors.yaml:',
      message: '',
    },
  ])('$fault ends with exit code 1, its file and line, and changes nothing', ({ change, place, message }) => {
    edit(change)
    const line = readFileSync(join(copy, change.file), 'utf8')
      .split('\n')
      .findIndex(each => each.includes(change.to.trim()))
    const before = readFileSync(join(copy, 'generated/openapi.json'), 'utf8')
    const { status, output } = generate()
    expect(status).toBe(1)
    expect(output).toContain(message)
    // Some rules point at the line above the wrong value, and parsers at the line after it.
    const lines = [...output.matchAll(new RegExp(`${place}(\\d+)`, 'g'))].map(([, number]) => Number(number))
    expect(Math.min(...lines.map(number => Math.abs(number - line - 1)))).toBeLessThanOrEqual(1)
    expect(readFileSync(join(copy, 'generated/openapi.json'), 'utf8')).toBe(before)
  })

  test.each([
    { given: '../../base/operator-error.ts', message: 'It may import only modules of server/in-page/' },
    { given: './is-at-home.ts', message: undefined },
  ])('in-page code may not import other code: $given', ({ given, message }) => {
    const file = join(copy, 'server/in-page/guard/start-app.ts')
    writeFileSync(file, `import * as other from '${given}'\nexport default () => other\n`)
    const { status, output } = generate()
    expect(status).toBe(message === undefined ? 0 : 1)
    if (message !== undefined) expect(output).toContain(message)
  })

  test('an unknown flag ends with exit code 2', () => {
    expect(generate('--chek')).toMatchObject({ status: 2, output: expect.stringContaining('--chek') })
  })

  test('--help shows examples', () => {
    expect(generate('--help')).toMatchObject({
      status: 0,
      output: expect.stringContaining('npm run generate -- --check'),
    })
  })
})

describe('refuses a document that the server could not implement', () => {
  const document = JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8')) as Document
  const path = '/v1/analytics/{projectId}/visitors'

  test.each<{ fault: string; mutate: (operation: Operation) => unknown; message: string }>([
    {
      fault: 'no security',
      mutate: operation => delete operation.security,
      message: 'getUniqueVisitors has no scope',
    },
    {
      fault: 'no scope',
      mutate: operation => Object.assign(operation, { security: [{ adminApiKey: [] }] }),
      message: 'getUniqueVisitors has no scope',
    },
    {
      fault: 'open to everybody',
      mutate: operation => Object.assign(operation, { security: [] }),
      message: 'has no scope',
    },
    {
      fault: 'an unknown scope',
      mutate: operation => Object.assign(operation, { security: [{ adminApiKey: ['admin'] }] }),
      message: 'has the unknown scope admin',
    },
    {
      fault: 'an unknown plan',
      mutate: operation => Object.assign(operation, { 'x-required-plan': 'gold' }),
      message: 'has x-required-plan: gold',
    },
    {
      fault: 'an unknown budget',
      mutate: operation => Object.assign(operation, { 'x-rate-limit': 'searches' }),
      message: 'has x-rate-limit: searches',
    },
    {
      fault: 'a success without JSON',
      mutate: operation => delete (operation.responses['200'] as Body).content?.['application/json'],
      message: 'getUniqueVisitors succeeds without application/json',
    },
    {
      fault: 'a range of statuses',
      mutate: ({ responses }) => Object.assign(responses, { '4XX': responses['404'] }),
      message: 'getUniqueVisitors has a response without a status number',
    },
    { fault: 'no 400', mutate: operation => delete operation.responses['400'], message: 'has no 400' },
  ])('$fault', async ({ mutate, message }) => {
    const mutant = structuredClone(document)
    mutate(mutant.paths[path]?.get as Operation)
    await expect(writeFiles(mutant)).rejects.toThrow(message)
  })

  test('a 304 of a method other than GET', async () => {
    const mutant = structuredClone(document)
    const start = mutant.paths['/v1/static-export/jobs']?.post as Operation
    Object.assign(start.responses, { 304: { description: 'unchanged' } })
    await expect(writeFiles(mutant)).rejects.toThrow('startStaticExportJob has a 304 response. Only get can have one.')
  })
})
