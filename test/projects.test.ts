import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  appImports,
  browserFunction,
  classifyTest,
  listPostgresTests,
  listTests,
  parseImports,
  serviceFunctions,
} from './projects.ts'

const root = join(import.meta.dirname, '..')
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-projects-'))
  const sources = {
    'support/starts-program.ts': `import { spawn } from 'node:child_process'\n`,
    'support/passes-on.ts': `export * from './starts-program.ts'\n`,
    'support/circle.ts': `import '../circle.ts'\n`,
    'circle.ts': `import './support/circle.ts'\n`,
    'support/server.ts': readFileSync(join(root, 'test/support/server.ts')),
    'export/fake-site.ts': readFileSync(join(root, 'test/export/fake-site.ts')),
  }
  for (const [name, source] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, 'test', name)), { recursive: true })
    writeFileSync(join(folder, 'test', name), source)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function classify(source: string): string {
  writeFileSync(join(folder, 'test', 'given.test.ts'), source)
  return classifyTest('test/given.test.ts', folder)
}

test.each([
  ['only the tested file', `import { x } from '../server/analytics/day.ts'`, 'unit'],
  ['a program', `import { spawn } from 'node:child_process'`, 'app'],
  ['a program, through two files', `import { start } from './support/passes-on.ts'`, 'app'],
  ['a program, at run time', `test('x', async () => { await import('./support/passes-on.ts') })`, 'app'],
  ['a type of a program', `import type { ChildProcess } from 'node:child_process'`, 'unit'],
  ['a whole server', `import { startServer } from '../server/server.ts'`, 'app'],
  ['a whole server, by the support file', `import { startTestServer } from './support/server.ts'`, 'app'],
  ['a whole export', `import {\n  exportFakeSite,\n  page,\n} from './export/fake-site.ts'`, 'app'],
  ['a browser', `import { findBrowser } from '../server/anywhere/at-all.ts'`, 'browser'],
  ['a browser among other things', `import {\n  findBrowser,\n  type Other,\n} from 'x'`, 'browser'],
  ['puppeteer', `import puppeteer, { type Page } from 'puppeteer'`, 'browser'],
  ['a browser and a program', `import { findBrowser } from 'x'\nimport { spawn } from 'node:child_process'`, 'browser'],
  ['a PostgreSQL', `import { findPostgres, type X } from './support/x.ts'`, 'services'],
  ['an S3 storage and a browser', `import { whyNoS3Server } from 'x'\nimport { findBrowser } from 'y'`, 'services'],
  ['a text that names a program', `export const names = ['node:child_process']`, 'unit'],
  ['files that import each other', `import './circle.ts'`, 'unit'],
])('a test that imports %s: %s', (_, source, want) => {
  expect(classify(source)).toBe(want)
})

test('the name makes a test a slow or long run, whatever it imports', () => {
  expect(classifyTest('test/given.slow.test.ts', folder)).toBe('slow')
  expect(classifyTest('test/given.long.test.ts', folder)).toBe('long')
  expect(classifyTest('test/given.alone.test.ts', folder)).toBe('alone')
})

test('an import has its names and a path from the root', () => {
  const source = `import a, { type B, c } from '../support/client.ts'\nimport 'd'\nconst e = () => import("./e.ts")\n`
  expect(parseImports(source, 'test/http/x.test.ts')).toEqual([
    { by: 'test/http/x.test.ts', from: 'test/support/client.ts', names: 'a, { type B, c }' },
    { by: 'test/http/x.test.ts', from: 'd', names: '' },
    { by: 'test/http/x.test.ts', from: 'test/http/e.ts', names: '' },
  ])
})

describe('the rule matches the code', () => {
  test('each test file belongs to one project', () => {
    const listed = Object.values(listTests()).flat()
    const files = globSync('test/**/*.test.ts', { cwd: root }).map(file => file.replaceAll('\\', '/'))
    expect(listed.sort()).toEqual(files.sort())
  })

  test('the files that it names exist', () => {
    expect(appImports.filter(name => name.endsWith('.ts') && !existsSync(join(root, name)))).toEqual([])
  })

  test('the function that it names finds the browser', () => {
    const texts = globSync('server/**/*.ts', { cwd: root }).map(file => readFileSync(join(root, file), 'utf8'))
    expect(texts.filter(text => text.includes(`export function ${browserFunction}(`))).toHaveLength(1)
  })

  test.each(serviceFunctions)('the function %s exists', name => {
    const texts = globSync('test/support/**/*.ts', { cwd: root }).map(file => readFileSync(join(root, file), 'utf8'))
    expect(texts.filter(text => text.includes(` function ${name}(`))).toHaveLength(1)
  })
})

test('the tests of the store run on PostgreSQL, and those of requests if they start a server', () => {
  const files = listPostgresTests()
  expect(files).toContain('test/http/wire-rules.test.ts')
  expect(files).toContain('test/operations/startStaticExportJob.test.ts')
  expect(files).toContain('test/contract/workflow.test.ts')
  expect(files).toContain('test/store/api-keys.test.ts')
  expect(files).not.toContain('test/http/byte-range.test.ts')
  expect(files.filter(file => file.includes('long.test'))).toEqual([])
})
