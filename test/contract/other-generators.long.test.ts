import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Document, listOperations } from '../../scripts/generate/document.ts'
import { runRedocly } from '../../scripts/generate/redocly.ts'
import { root, withoutPackages } from '../package/installed-package.ts'

// Other tools read both documents without a warning, and the clients that they write compile. They are heavy, so they are installed
// for this test only.

const run = promisify(execFile)

interface Tool {
  /** With their versions. */
  packages: string[]
  /** Files of its folder, such as its configuration, by name. */
  files?: Record<string, string>
  /** Run in its folder, beside openapi.json and openapi.yaml. The first is a program of the packages, or node. */
  command: string[]
  /** A file or folder that it writes, which is compiled. */
  output?: string
  /** What the output has of each operation. */
  names: 'operationId' | 'summary'
}

const tools: Record<string, Tool> = {
  'openapi-typescript': {
    packages: ['openapi-typescript@7.13.0', 'typescript@5.9.3'],
    command: ['openapi-typescript', 'openapi.yaml', '--output', 'out/api.ts'],
    output: 'out',
    names: 'operationId',
  },
  'hey-api': {
    packages: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'],
    command: ['openapi-ts', '--input', 'openapi.yaml', '--output', 'out'],
    output: 'out',
    names: 'operationId',
  },
  orval: {
    packages: ['orval@8.38.0', 'typescript@5.9.3'],
    command: ['orval', '--input', './openapi.yaml', '--output', './out/api.ts', '--client', 'fetch'],
    output: 'out',
    names: 'operationId',
  },
  kubb: {
    packages: ['core', 'cli', 'plugin-oas', 'plugin-ts', 'plugin-client'].map(name => `@kubb/${name}@4.39.3`),
    files: {
      'kubb.config.mjs': `import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

export default defineConfig({
  root: '.',
  input: { path: './openapi.yaml' },
  output: { path: './out' },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch' })],
})
`,
    },
    command: ['kubb', 'generate'],
    output: 'out',
    names: 'operationId',
  },
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api@13.13.0'],
    command: ['swagger-typescript-api', 'generate', '--path', 'openapi.json', '--output', 'out', '--name', 'api.ts'],
    output: 'out',
    names: 'operationId',
  },
  'openapi-zod-client': {
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'axios@1', 'zod@3'],
    command: ['openapi-zod-client', 'openapi.json', '--output', 'api.ts', '--export-schemas'],
    output: 'api.ts',
    names: 'operationId',
  },
  'swagger-parser': {
    packages: ['@apidevtools/swagger-parser@13.1.0'],
    files: {
      'main.mjs': `import SwaggerParser from '@apidevtools/swagger-parser'
const { paths } = await SwaggerParser.validate('openapi.json')
for (const item of Object.values(paths)) for (const { operationId } of Object.values(item)) console.log(operationId)
`,
    },
    command: ['node', 'main.mjs'],
    names: 'operationId',
  },
  "Postman's converter": {
    packages: ['openapi-to-postmanv2@6.3.3'],
    command: ['openapi2postmanv2', '--spec', 'openapi.json', '--output', 'collection.json', '--pretty'],
    names: 'summary',
  },
}

const generated = join(root, 'generated')
/** The documents by their folder in generated/. */
const documents = ['', 'extensions'].map(given => {
  const document = JSON.parse(readFileSync(join(generated, given, 'openapi.json'), 'utf8')) as Document
  return {
    given,
    name: join(given, 'openapi.yaml'),
    operations: listOperations(document).map(({ operation }) => operation),
    events: Object.keys((document as { webhooks?: object }).webhooks ?? {}),
  }
})

let work: string
let missing: string | undefined
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'quire-generators-'))
  const ping = run('npm', ['ping', '--fetch-timeout=20000', '--fetch-retries=1'], { cwd: work, env: withoutPackages() })
  missing = await ping.then(
    () => undefined,
    (error: { stderr?: string }) => error.stderr ?? 'no answer',
  )
})
afterAll(() => rmSync(work, { recursive: true, force: true }))
beforeEach(context => {
  if (missing !== undefined) context.skip(`the npm registry cannot be reached: ${missing}`)
})

// Node warns of its own features, which some tools use.
const settings = { CI: '1', NO_COLOR: '1', NODE_OPTIONS: '--disable-warning=ExperimentalWarning' }

const installed = new Map<string, Promise<unknown>>()

/** Installs a tool into a new folder, once, and runs it for a document in a folder below. Returns that folder and what it printed. */
async function runTool(name: string, { packages, files = {}, command }: Tool, given: string) {
  const home = join(work, name.replaceAll(/\W+/g, '-'))
  const folder = join(home, `document-${given}`)
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  for (const file of ['openapi.json', 'openapi.yaml']) cpSync(join(generated, given, file), join(folder, file))
  const manifest = JSON.stringify({ private: true, type: 'module' })
  for (const place of [home, folder]) writeFileSync(join(place, 'package.json'), manifest)
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps']
  const env = withoutPackages()
  const install = installed.get(name) ?? run('npm', ['install', ...flags, ...packages], { cwd: home, env })
  await installed.set(name, install).get(name)
  const [program = '', ...args] = command
  const file = program === 'node' ? process.execPath : join(home, 'node_modules/.bin', program)
  // Some tools need a newer Node than that of the system.
  const path = `${join(root, 'node_modules/.bin')}:${env.PATH}`
  const { stdout, stderr } = await run(file, args, { cwd: folder, env: { ...env, ...settings, PATH: path } })
  return { folder, printed: stdout + stderr }
}

/** Compiles all files of a folder, or one file, strictly. Returns what the compiler says. */
async function compile(folder: string, output: string): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [output] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, '-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

/** Returns the texts of a file, or of all files of a folder. */
function readTexts(path: string): string {
  if (path.endsWith('.ts') || path.endsWith('.json')) return readFileSync(path, 'utf8')
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
  return files.map(file => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n')
}

describe.each(documents)('$name', ({ given, operations, events }) => {
  test.each(Object.entries(tools).map(([name, tool]) => ({ name, tool, install: tool.packages[0] })))(
    '$name reads it without a warning, and what it writes compiles (npm install $install)',
    async ({ name, tool }) => {
      const { folder, printed } = await runTool(name, tool, given)
      expect(printed).not.toMatch(/\b(warn|warning|error|deprecated|invalid|unsupported)\b/i)
      const written = ['out', 'api.ts', 'collection.json'].map(file => join(folder, file)).find(existsSync)
      const texts = written === undefined ? printed : readTexts(written)
      const missing = operations.filter(operation => !texts.includes(String(operation[tool.names])))
      expect(missing.map(({ operationId }) => operationId)).toEqual([])
      if (tool.output !== undefined) expect(await compile(folder, tool.output)).toBe('')
    },
  )

  test('Redocly finds nothing with its recommended rules, beside our own, but events without a name', async () => {
    const { stdout, stderr } = await runRedocly(
      ['lint', join('generated', given, 'openapi.yaml'), '--extends', 'recommended', '--format', 'json'],
      root,
    )
    const { problems } = JSON.parse(stdout || stderr) as { problems: { ruleId: string }[] }
    // Events have no operation to name.
    expect(problems.map(({ ruleId }) => ruleId)).toEqual(events.map(() => 'operation-operationId'))
  })
})
