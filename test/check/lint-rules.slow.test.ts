import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderLayers, packageOwners, serverLayers } from '../../scripts/layers.ts'
import { longFunctions } from '../../scripts/long-functions.ts'

const root = join(import.meta.dirname, '../..')

test('every folder and file of server/ has its layer', () => {
  const shipped = /\.(sql|json|md|css|png)$/
  // A Helm chart has no code.
  const hasCode = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true }).some(name => /\.ts$/.test(String(name)))
  const names = (folder: string) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(entry => (entry.isDirectory() ? hasCode(join(folder, entry.name)) : !shipped.test(entry.name)))
      .map(entry => (entry.isDirectory() || folder === 'server' ? entry.name : '.'))
  expect(new Set(names('server'))).toEqual(new Set(serverLayers.flat()))
  for (const [folder, layers] of Object.entries(folderLayers)) {
    expect(new Set([...names(`server/${folder}`), '.']), folder).toEqual(new Set([...layers.flat(), '.']))
  }
})

test('the owners of packages have a layer', () => {
  const places = [
    ...serverLayers.flat(),
    ...Object.entries(folderLayers).flatMap(([folder, layers]) => layers.flat().map(inner => `${folder}/${inner}`)),
  ]
  for (const owners of Object.values(packageOwners)) expect(places).toEqual(expect.arrayContaining([...owners]))
})

// The lint rules do not check import types (`import('./x.ts').T`).
test('no file of server/ has an import type', () => {
  const files = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' }).filter(f => f.endsWith('.ts'))
  const withImportType = files.filter(file =>
    /(?<!await )\bimport\((['"`])\.[^)]*\)\s*\.\s*[A-Z]/.test(readFileSync(join(root, 'server', file), 'utf8')),
  )
  expect(withImportType).toEqual([])
})

/** The kinds of wrong imports: name, files with their text, and the lint message. */
const wrong: [kind: string, files: Record<string, string>, message: string][] = [
  [
    'the server imports its client',
    {
      'server/operations/a.ts':
        "import { createClient } from '../../spec/package/client/index.ts'\nconsole.log(createClient)\n",
    },
    'The server does not use its own client',
  ],
  ['up', { 'server/store/a.ts': "import '../http/b.ts'" }, 'server/store may not import this module'],
  ['up to a file', { 'server/http/a.ts': "import '../server.ts'" }, 'server/http may not import this module'],
  [
    'up, for a type',
    { 'server/web/html/a.ts': "import type { B } from '../../export/b.ts'\nexport type A = B" },
    'server/web/html may not',
  ],
  [
    'up, dynamic',
    { 'server/base/a.ts': "export const b = () => import('../tenancy/b.ts')" },
    'server/base may not import this module',
  ],
  [
    'up, exported again',
    { 'server/tenancy/a.ts': "export * from '../store/b.ts'" },
    'server/tenancy may not import this module',
  ],
  [
    'sideways',
    { 'server/analytics/import/a.ts': "import '../../export/model/b.ts'" },
    'server/analytics/import may not',
  ],
  [
    'up within a folder',
    { 'server/export/model/a.ts': "import '../crawl/b.ts'" },
    'server/export/model may not import this module',
  ],
  [
    'up to the files of a folder',
    { 'server/export/crawl/a.ts': "import '../b.ts'" },
    'server/export/crawl may not import this module',
  ],
  [
    'up from the files of a folder',
    { 'server/export/a.ts': "import './jobs/b.ts'" },
    'server/export/. may not import this module',
  ],
  [
    'of a package that is not its own',
    { 'server/export/crawl/a.ts': "import 'puppeteer'" },
    'Only some folders may import',
  ],
  [
    'in a cycle',
    {
      'server/base/a.ts': "import { b } from './b.ts'\nexport const a = b",
      'server/base/b.ts': "import { a } from './a.ts'\nexport const b = a",
    },
    'noImportCycles',
  ],
  [
    'in a cycle of types',
    {
      'server/base/a.ts': "import type { B } from './b.ts'\nexport type A = B | 1",
      'server/base/b.ts': "import type { A } from './a.ts'\nexport type B = A | 2",
    },
    'noImportCycles',
  ],
]

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'quire-layers-'))
  const config = JSON.parse(readFileSync(join(root, '.biome.json'), 'utf8'))
  // The copy is not a git repository.
  writeFileSync(join(copy, '.biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }))
  mkdirSync(join(copy, 'generated'))
  writeFileSync(join(copy, 'generated/lint-rules.json'), readFileSync(join(root, 'generated/lint-rules.json')))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function lint(files: Record<string, string>): string {
  rmSync(join(copy, 'server'), { recursive: true, force: true })
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    writeFileSync(join(copy, file), `${text}\n`)
  }
  const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', '.', '--colors=off'], {
    cwd: copy,
    encoding: 'utf8',
  })
  return stdout + stderr
}

test.each(wrong)('the lint refuses an import %s', (_kind, files, message) => {
  expect(lint(files)).toContain(message)
})

test('the lint allows imports of lower layers and of the same folder', () => {
  const report = lint({
    'server/store/a.ts': "import './b.ts'\nimport '../export/jobs/b.ts'\nimport 'better-sqlite3'",
    'server/export/crawl/a.ts': "import '../model/b.ts'\nimport '../../web/fetch/b.ts'\nimport '../../base/b.ts'",
    'server/export/a.ts': "import './crawl/b.ts'",
    'server/web/browser/a.ts': "import 'puppeteer'\nimport '../html/b.ts'",
  })
  expect(report).toContain('No fixes applied')
  expect(report).not.toContain('Found')
})

function writeFunction(lines: number): string {
  return `export function count(): void {\n${'  console.log(1)\n'.repeat(lines - 2)}}`
}

test.each([
  ['server/base/a.ts', 63, 'noExcessiveLinesPerFunction'],
  ['server/base/a.ts', 60, 'No fixes applied'],
  ['server/web/fetch/fetcher.ts', 63, 'No fixes applied'],
  ['server/web/fetch/fetcher.ts', 103, 'noExcessiveLinesPerFunction'],
])('a function in %s with %i lines: %s', (file, lines, message) => {
  expect(lint({ [file]: writeFunction(lines) })).toContain(message)
})

test('at most ten files may have long functions, each with a reason', () => {
  const entries = Object.entries(longFunctions)
  expect(entries.length).toBeLessThanOrEqual(10)
  for (const [file, reason] of entries) {
    expect(existsSync(join(root, file)), file).toBe(true)
    expect(reason).toMatch(/^[A-Z].{20,}\.$/)
  }
})
