import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../scripts/bench/find-free-port.ts'
import { buildBinary } from '../../scripts/build-binary/build-binary.ts'
import { type Target, targets } from '../../scripts/build-binary/targets.ts'
import { listPostgresMigrations } from '../../server/store/schema-versions.ts'
import { page, startFakeSite } from '../export/fake-site.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { findNginx } from '../support/nginx.ts'
import { createTestDatabase, findPostgres } from '../support/postgres/test-database.ts'
import { rounds } from '../support/rounds.ts'
import { createS3Bucket, whyNoS3Server } from '../support/s3-server.ts'
import {
  buildImage,
  confine,
  makeBase,
  ownProfile,
  removeStorage,
  runTool,
  users,
  useTool,
  whyNoContainers,
} from './containers.ts'
import { bucket, makeEarlierImage, makeLaterImage, rollServers } from './rolling-servers.ts'

// Builds both images, and runs them as the charts do.

const reason = whyNoContainers()
if (reason !== undefined) console.log(`The images are not built: ${reason}.`)
const imageTest = test.skipIf(reason !== undefined)
const postgres = await findPostgres()
const nginx = findNginx()
const lacking =
  ('missing' in postgres ? postgres.missing : undefined) ??
  ('missing' in nginx ? nginx.missing : undefined) ??
  whyNoS3Server()
if (lacking !== undefined) console.log(`No containers are upgraded: ${lacking}.`)
/** The commit whose image is upgraded to this version, in place of this one to a version with one more migration. */
const earlier = process.env.QUIRE_TEST_EARLIER
const base = 'localhost/quire-test-base'
const megabyte = 1e6
const exports = rounds(20)
const host = 'quire-test-host'
const server = 'quire-test-server'

const target = targets.find(({ name }) => name === 'linux-x64') as Target

/** What buildah gets, and what it need not have. */
let folder = ''
let scratch = ''
const sizes = { host: 0, server: 0 }

beforeAll(async () => {
  if (reason !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'quire-images-'))
  scratch = mkdtempSync(join(tmpdir(), 'quire-base-'))
  const root = join(import.meta.dirname, '../..')
  await Promise.all([buildBinary({ root, target, folder }), makeBase(scratch, base)])
  sizes.host = await buildImage('host', folder, base)
  sizes.server = await buildImage('server', folder, base)
})
afterAll(async () => {
  if (reason !== undefined) return
  removeStorage()
  for (const each of [folder, scratch]) rmSync(each, { recursive: true, force: true })
})

imageTest('both have the sizes that the documentation names, labels, a health check and no root', async () => {
  console.log(`${sizes.host / megabyte} MB for a host, ${sizes.server / megabyte} MB for a server`)
  expect(sizes.host).toBeLessThan(200 * megabyte)
  expect(sizes.server).toBeLessThan(650 * megabyte)
  for (const image of [host, server]) {
    const [{ Config }] = JSON.parse(await useTool('podman', 'image', 'inspect', image))
    expect(Config.User).toBe('10001:0')
    expect(Config.StopSignal).toBe('SIGTERM')
    expect(Config.Labels).toMatchObject({
      'org.opencontainers.image.version': '1.2.3',
      'org.opencontainers.image.revision': 'abc',
    })
    expect(await useTool('podman', 'image', 'inspect', '--format', '{{.HealthCheck.Test}}', image)).toContain('ready')
  }
})

imageTest.each(users)('both start as %s', async user => {
  for (const image of [host, server])
    expect(await useTool('podman', 'run', '--rm', ...confine(user), image, 'version')).toContain('single binary')
})

/** Starts a container that ends with the test. Returns the name, and its exit code when it is stopped. */
async function start(image: string, args: readonly string[], ...words: string[]) {
  const name = `${image}-${Date.now()}`
  await useTool('podman', 'run', '--detach', '--name', name, ...args, image, ...words)
  onTestFinished(async () => void (await runTool('podman', 'rm', '--force', '--volumes', name)))
  return {
    name,
    exec: (...command: string[]) => useTool('podman', 'exec', name, ...command),
    async stop(): Promise<number> {
      await useTool('podman', 'stop', '--time', '30', name)
      return Number(await useTool('podman', 'inspect', '--format', '{{.State.ExitCode}}', name))
    },
  }
}

imageTest('without our profile, doctor says that the profile keeps Chromium from its sandbox', async () => {
  const volume = `quire-test-${Date.now()}`
  const quire = (...words: string[]) =>
    runTool('podman', 'run', '--rm', ...confine(users[1], `--volume=${volume}:/data`), server, ...words)
  onTestFinished(async () => void (await runTool('podman', 'volume', 'rm', '--force', volume)))
  await quire('init', '--yes')
  const { code, stdout } = await quire('doctor')
  expect(code).toBe(1)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('in a container with its seccomp profile')
})

imageTest(`a server exports ${exports} times and a host serves the bundle, without zombies`, async () => {
  const draw = `document.body.append(document.querySelector('h1').textContent + ' is drawn by a script')`
  const script = `<script>${draw}</script>`
  const site = await startFakeSite({
    '/': page('home', `<a href="/one">one</a>${script}`),
    '/one': page('one', script),
  })
  onTestFinished(() => void site.close())
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const settings = [`--env=QUIRE_PORT=${port}`, `--env=QUIRE_PUBLIC_URL=${url}`]
  const served = await start(server, confine(users[1], ownProfile, ...settings))
  await served.exec('quire', 'ready', '--wait', '60')
  const origin = ['--site', 'docs.example.com', '--origin', site.origin.href]
  const made = JSON.parse(await served.exec('quire', 'init', '--yes', '--json', ...origin))
  const headers = { Authorization: `Bearer ${made.key.key}`, 'Content-Type': 'application/json' }
  const ask = async (path: string, method = 'GET', body?: string) =>
    (await send(url, `/v1/static-export/jobs${path}`, { method, headers, ...(body && { body }) })).json
  const jobs: string[] = []
  for (let index = 0; index < exports; index += 1) {
    const { jobId } = await ask('', 'POST', '{"domain":"docs.example.com"}')
    const ended = await waitFor(async () => {
      const job = await ask(`/${jobId}`)
      return job.status === 'completed' || job.status === 'failed' ? job : undefined
    }, 120_000)
    expect([ended.status, ended.error]).toEqual(['completed', null])
    jobs.push(String(jobId))
  }
  const states = await served.exec('sh', '-c', `cat /proc/[0-9]*/stat`)
  expect(states.split('\n').filter(line => /\) Z /.test(line))).toEqual([])
  expect(await served.exec('quire', 'doctor')).toMatch(/Its sandbox locks up\s+the/)

  const { bundleUrl } = await ask(`/${jobs[0]}/bundle`, 'POST')
  const hostPort = await findFreePort()
  const hosted = await start(host, confine(users[0], `--env=QUIRE_PORT=${hostPort}`), 'host', String(bundleUrl))
  await hosted.exec('quire', 'ready', '--wait', '60')
  const { text } = await send(`http://127.0.0.1:${hostPort}`, '/one.html')
  expect(text).toContain('These are the words of the page one')
  expect([await hosted.stop(), await served.stop()]).toEqual([0, 0])
})

test.skipIf((reason ?? lacking) !== undefined)(
  'no answer fails and no export is lost while servers are upgraded to another version and go back',
  async () => {
    const other = earlier === undefined ? 'quire-test-later' : 'quire-test-earlier'
    if (earlier === undefined) await makeLaterImage(server, other, target, scratch)
    else await makeEarlierImage(earlier, server, other, target, scratch)
    const [first, second] = earlier === undefined ? [server, other] : [other, server]
    const database = await createTestDatabase((postgres as { url: string }).url)
    const storage = await createS3Bucket(bucket)
    onTestFinished(async () => {
      await storage.dispose()
      await database.drop()
    })
    const servers = { nginx: (nginx as { path: string }).path, database, storage, scratch }
    const { statuses, refused, broken, exitCodes, exports } = await rollServers(servers, first, [second, first])
    console.log(`Answers by status: ${JSON.stringify(statuses)}. Exports: ${exports.length}.`)
    const failed = Object.keys(statuses).filter(status => !['200', '404'].includes(status))
    expect({ failed, refused, broken }).toEqual({ failed: [], refused: 0, broken: {} })
    expect(exitCodes).toEqual(exitCodes.map(() => 0))
    expect(exports).toEqual(exports.map(() => 'completed'))
    const [{ version } = {}] = await database.run('SELECT version FROM schema_version')
    expect(Number(version)).toBe(listPostgresMigrations().length + (earlier === undefined ? 1 : 0))
  },
)
