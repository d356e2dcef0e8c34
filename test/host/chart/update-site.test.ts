import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSite } from '../../support/export-site.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../../support/server.ts'
import { chart } from './chart-values.ts'

const hasTools = ['curl', 'jq'].every(tool => spawnSync(tool, ['--version']).status === 0)
const testWithTools = test.skipIf(!hasTools)

let folder: string
let server: TestServer
let site: Awaited<ReturnType<typeof startSite>>
let key: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-pipeline-'))
  // Stands for helm: writes its arguments, one a line, and the values that it reads.
  writeFileSync(
    join(folder, 'helm'),
    `#!/bin/sh\nprintf '%s\\n' "$@" >> '${folder}/arguments'\ncat > '${folder}/values'\n`,
  )
  chmodSync(join(folder, 'helm'), 0o755)
  site = await startSite(2)
  server = await startTestServer({ verify: 'static' })
  const { organizationId, projectId } = await createOrganization(server.store)
  for (const [domain, origin] of [
    ['docs.example.com', site.url],
    ['down.example.com', 'http://127.0.0.1:9/'],
  ] as const)
    await server.store.sites.insert({ domain, projectId, origin, createdAt: 0 })
  key = (await createApiKey(server.store, organizationId)).key
})
afterAll(async () => {
  await server.dispose()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

function runPipeline(env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn('sh', [join(chart, 'update-site.sh'), ...args], {
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      API_URL: server.url,
      QUIRE_API_KEY: key,
      DOMAIN: 'docs.example.com',
      RELEASE: 'docs',
      CHART: chart,
      POLL_SECONDS: '0.2',
      ...env,
    },
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    output += chunk
  })
  return new Promise<{ code: number | null; output: string }>(done => child.on('close', code => done({ code, output })))
}

testWithTools(
  'the pipeline exports the site and gives the link of its bundle to helm (apt-get install curl jq)',
  async () => {
    const { code, output } = await runPipeline({ LABEL: 'release 2.4' }, ['--namespace', 'docs'])
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^Export se_\w+ of docs\.example\.com\n[\s\S]*completed, 100 %, 2 pages\n$/),
    ])
    const given = readFileSync(join(folder, 'arguments'), 'utf8').trimEnd().split('\n')
    // Other users of the machine can read arguments, so the link is not one of them.
    expect(given).toEqual(['upgrade', 'docs', chart, '--install', '--values', '-', '--namespace', 'docs'])
    const { staticExport } = JSON.parse(readFileSync(join(folder, 'values'), 'utf8'))
    expect(staticExport).toMatchObject({ enabled: true, version: 'release 2.4' })
    const bundle = await fetch(staticExport.bundleUrl)
    const bytes = Buffer.from(await bundle.arrayBuffer())
    expect([bundle.status, bytes.toString('latin1', 0, 2)]).toEqual([200, 'PK'])
    expect(staticExport.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  },
)

testWithTools.each<[string, Record<string, string>, RegExp]>([
  ['an export that fails', { DOMAIN: 'down.example.com' }, /cannot be reached|could not|no server/i],
  ['a site that is not registered', { DOMAIN: 'other.example.com' }, /is not a registered site of this organization/],
  ['a wrong key', { QUIRE_API_KEY: 'quire_wrong' }, /API key/],
])('%s ends the pipeline with the reason, and helm is not called', async (_, env, reason) => {
  rmSync(join(folder, 'arguments'), { force: true })
  const { code, output } = await runPipeline(env)
  expect(code).not.toBe(0)
  expect(output).toMatch(reason)
  expect(() => readFileSync(join(folder, 'arguments'))).toThrow()
})
