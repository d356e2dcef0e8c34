import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planRun } from '../../server/agent/run/plan-run.ts'
import { digest } from '../../server/base/digest.ts'
import { readSigningKey, signArchive, signatureFile } from '../../server/base/signature.ts'
import { openStore } from '../../server/store/store.ts'
import { openSecretBox } from '../../server/store/webhook-keys.ts'
import { issueSecret } from '../../server/webhooks/issue-webhook.ts'
import { webhookEvents } from '../../server/webhooks/webhook.ts'
import { unpackArchive } from '../export/read-archive.ts'
import { fillHostFolder } from '../host/fill-host-folder.ts'
import { makeSite } from '../host/make-site.ts'
import { readAllHelp } from '../support/help.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { main, runQuire, type ServeProcess, startQuire, startServe } from '../support/process.ts'

/** Commands that run until Ctrl-C, and what they write when they work. A server is also asked, at the address that it writes. */
const lasting: readonly { words: RegExp; works: RegExp }[] = [
  { words: /npx quire serve\b/, works: /"url":"(.+?)".*"msg":"listening"/ },
  { words: /npx quire host (?!list|rollback)/, works: /"msg":"serving a version"/ },
  { words: /npx quire demo\b/, works: /Quire serves at +(\S+)[\s\S]+Ctrl-C ends it/ },
  { words: /npx quire visits follow\b(?!.*--once)/, works: /^Following |"lines":/m },
]

const postgres = await findPostgres()
if ('missing' in postgres) console.log(`The examples of migrate are skipped: ${postgres.missing}`)
/** Without those that need a bucket (visits-bucket.test.ts reads logs of one) or the single binary (release.long.test.ts). */
const helps = (await readAllHelp())
  .map(({ name, examples }) => ({ name, examples: examples.filter(example => !example.includes(' s3://')) }))
  .filter(
    ({ name, examples }) =>
      examples.length > 0 && name !== 'self-update' && !(name.startsWith('migrate') && 'missing' in postgres),
  )
/** The first example of `migrate` fills it, the second copies it back. */
let database: TestDatabase | undefined
const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
let folder: string
/** Serves the site of the examples. */
let site: ServeProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-help-examples-'))
  writeShim()
  const demo = startQuire(['demo', '--port', '0', '--data', join(folder, 'seeded')], {
    env: { QUIRE_VERIFY: 'static' },
  })
  await demo.read(output => output.includes('Ctrl-C ends it'))
  await demo.end('SIGINT')
  await prepareBackups()
  writeLogs()
  site = await startServe(['--data', join(folder, 'site')])
  if ('url' in postgres) database = await createTestDatabase(postgres.url)
})
afterAll(async () => {
  await site?.end('SIGINT')
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('every command that works on data shows examples', () => {
  const shown = helps.map(({ name }) => name)
  expect(shown).toEqual(expect.arrayContaining(['serve', 'demo', 'export', 'exports', 'orgs', 'keys', 'visits import']))
})

/** Queues the export that an example cancels. */
async function queueExport(data: string): Promise<void> {
  const store = openStore(data)
  const [completed] = await store.exportJobs.list({})
  if (!completed) throw new Error('The demo made no export.')
  const at = Date.now()
  await store.exportJobs.start(
    { ...completed, jobId: 'se_5d1e8c07a3b94f26', status: 'queued', bundle: null, createdAt: at, updatedAt: at },
    undefined,
    0,
  )
  store.close()
}

/** Adds the webhook that the examples name. */
async function addWebhook(data: string): Promise<void> {
  const store = openStore(data)
  const [organization] = await store.organizations.list()
  if (!organization) throw new Error('The demo made no organization.')
  const id = 'wh_0f3c9a1b2d4e5f60'
  const webhook = {
    id,
    organizationId: organization.id,
    url: 'https://hooks.example.com/quire',
    events: [...webhookEvents],
    createdAt: Date.now(),
  }
  await store.webhooks.insert(webhook, issueSecret(id, openSecretBox(data, undefined)).sealedSecret)
  store.close()
}

/** Queues the job that examples name. The one that goes on after a message has ended. */
async function queueAgentRun(data: string, isEnded: boolean): Promise<void> {
  const store = openStore(data)
  const [project] = await store.projects.list()
  const source = await store.agentSources.find(project?.id ?? '')
  if (!project || !source) throw new Error('The demo has no repository for agents.')
  const id = 'aj_0f3c9a1b2d4e5f60'
  const plan = planRun(source, { prompt: 'Fix the spelling.' }, { id, model: 'demo', now: Date.now() })
  const { agentRuns } = store
  await agentRuns.start(plan.job, plan.run, { active: 100, openPullRequests: 100 })
  if (isEnded) await agentRuns.cancel(project.id, id, Date.now())
  store.close()
}

test.each(helps)('the examples of $name work on the data of the demo', async ({ name, examples }) => {
  const home = await prepareHome(name)
  for (const example of examples) {
    const result = await runExample(example, home)
    expect({ example, ...result }, result.output).toMatchObject({ example, code: 0 })
  }
})

async function prepareBackups(): Promise<void> {
  mkdirSync(join(folder, 'backups'))
  for (const name of ['quire.tar', 'quire-2026-11-22']) {
    await runQuire(['backup', join(folder, 'backups', name), '--data', join(folder, 'seeded')])
  }
}

/** Makes the folder that the reader works in. The restore examples need a backup and no data, those of a host need versions, the others need data. */
async function prepareHome(name: string): Promise<string> {
  const home = join(folder, name.replaceAll(' ', '-'))
  mkdirSync(home)
  writeKeys(home)
  if (name.startsWith('host')) {
    writeSigned(join(home, 'docs.zip'), makeSite({ version: '2.6' }))
    for (const data of ['host-data', 'lib/quire-host']) await fillHostFolder(join(home, data), ['2.4', '2.5'])
    return home
  }
  if (name === 'restore') {
    cpSync(join(folder, 'backups'), join(home, 'backups'), { recursive: true })
    return home
  }
  const homeFolders = [
    'backups',
    'units',
    '.local/share/bash-completion/completions',
    '.zfunc',
    '.config/fish/completions',
  ]
  for (const name of homeFolders) mkdirSync(join(home, name), { recursive: true })
  for (const data of ['data', 'lib/quire']) {
    cpSync(join(folder, 'seeded'), join(home, data), { recursive: true })
    // The server makes its folder private; a copy may be open to others.
    chmodSync(join(home, data), 0o700)
  }
  if (name === 'exports') await queueExport(join(home, 'data'))
  if (/^agent-jobs (?:show|logs|cancel|message)$/.test(name))
    await queueAgentRun(join(home, 'data'), !name.endsWith('cancel'))
  if (name === 'webhooks') await addWebhook(join(home, 'data'))
  if (name !== 'export') writeBundles(home)
  return home
}

/** Writes the keys and tokens that the examples name. */
function writeKeys(home: string): void {
  for (const credential of ['token.txt', 'id_ed25519']) writeFileSync(join(home, credential), 'a credential')
  writeFileSync(join(home, 'quire-signing.pem'), privateKey, { mode: 0o600 })
  writeFileSync(join(home, 'quire-signing.pub.pem'), publicKey)
}

/** Writes a bundle and its signature. */
function writeSigned(file: string, archive: Buffer): void {
  writeFileSync(file, archive)
  const signed = { sha256: digest(archive), sizeBytes: archive.length }
  writeFileSync(signatureFile(file), `${signArchive(signed, Date.now(), readSigningKey(privateKey, 'the test'))}\n`)
}

/** Writes the bundles that the examples read. */
function writeBundles(home: string): void {
  for (const [name, version] of [
    ['docs', '2.6'],
    ['docs-2.3', '2.3'],
    ['docs-2.4', '2.4'],
  ] as const)
    writeSigned(join(home, `${name}.zip`), makeSite({ version }))
  unpackArchive(join(home, 'docs.zip'), join(home, 'docs'))
}

/** `npx` that runs the program of this checkout; test/scripts/npx-quire.test.ts tests the real one. */
function writeShim(): void {
  mkdirSync(join(folder, 'bin'))
  const shim = join(folder, 'bin', 'npx')
  writeFileSync(shim, `#!/bin/sh\n[ "$1" = quire ] && shift\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(shim, 0o755)
}

/** Stands for the logs of the reader's web server. */
function writeLogs(): void {
  const lines = readFileSync(join(folder, 'seeded', 'demo-access.log'), 'utf8')
    .split('\n')
    .slice(0, 2000)
  const nginx = join(folder, 'log', 'nginx')
  mkdirSync(nginx, { recursive: true })
  writeFileSync(join(nginx, 'access.log'), `${lines.slice(1000).join('\n')}\n`)
  writeFileSync(join(nginx, 'access.log.1'), `${lines.slice(0, 1000).join('\n')}\n`)
  const caddy = join(folder, 'log', 'caddy')
  mkdirSync(caddy)
  writeFileSync(join(caddy, 'access.log'), `${[1, 2, 3].map(toCaddyLine).join('\n')}\n`)
}

function toCaddyLine(second: number): string {
  const headers = { 'User-Agent': ['Mozilla/5.0 Firefox/130.0'], 'X-Forwarded-For': [`198.51.100.${second}`] }
  const request = { remote_ip: '203.0.113.9', method: 'GET', host: 'docs.example.com', uri: '/', headers }
  return JSON.stringify({ ts: 1_795_000_000 + second, request, status: 200 })
}

/** The reader has the demo on port 8787, a free port 9000, logs in /var/log, data in /var/lib, and an empty PostgreSQL database. */
function adapt(example: string, home: string): string {
  return (
    example
      .replaceAll('http://127.0.0.1:8787', site.url)
      .replaceAll(/(--port |QUIRE_PORT=)9000/g, '$10')
      .replace(/(quire ready)(?: --port 8080)?/, `$1 --port ${new URL(site.url).port}`)
      .replaceAll('/var/log/', `${folder}/log/`)
      .replaceAll('/var/lib/', `${home}/lib/`)
      .replaceAll('/etc/systemd/system/', `${home}/units/`)
      .replaceAll('postgres://quire@db.example.com/quire', database?.url ?? '')
      .replace(/^createdb .*/, 'true')
      // A test has no terminal in which it could answer questions.
      .replace(/quire init$/, 'quire init --yes')
      .replaceAll(/\/(?:var|mnt)\/backups\//g, `${home}/backups/`)
  )
}

/** Runs an example in a shell. One that lasts is ended by Ctrl-C as soon as it works. */
function runExample(example: string, home: string): Promise<{ code: number | null; output: string }> {
  const works = lasting.find(({ words }) => words.test(example))?.works
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: home,
    TOKEN: 'secret',
    // Ports may be in use, and a test requests nothing outside this machine.
    ...(works && { QUIRE_PORT: '0' }),
    QUIRE_NO_PROBE: 'true',
    QUIRE_VERIFY: 'static',
  }
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn('bash', ['-c', adapt(example, home)], { cwd: home, env, detached: true, stdio: [...stdio] })
  return waitFor(child, works)
}

function waitFor(child: ChildProcess, works: RegExp | undefined): Promise<{ code: number | null; output: string }> {
  let output = ''
  let isEnding = false
  const read = async (chunk: Buffer) => {
    output += chunk
    const found = works?.exec(output)
    if (isEnding || !found) return
    isEnding = true
    if (found[1] !== undefined) await fetch(`${found[1]}/healthz`)
    // A terminal sends Ctrl-C to the whole group.
    process.kill(-(child.pid as number), 'SIGINT')
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', code => done({ code: works && !isEnding ? -1 : code, output: output.slice(-2000) }))
  })
}
