import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'

/** S3-compatible storage out of Debian packages: it checks signatures, and knows multipart uploads, ranges and expiry. */
export interface S3Server {
  endpoint: string
  /** What a process needs in its environment to use it. */
  credentials: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string }
  /** Stops it as a crash would. The data stays. */
  stop(): Promise<void>
  start(): Promise<void>
  dispose(): Promise<void>
}

const programs = [
  'swift-proxy-server',
  'swift-account-server',
  'swift-container-server',
  'swift-object-server',
  'memcached',
]

/** Why the tests of S3 are skipped; undefined = they run. */
export function whyNoS3Server(): string | undefined {
  const lacking = programs.concat('swift-ring-builder').filter(name => spawnSync('which', [name]).status !== 0)
  if (lacking.length === 0 && process.getuid?.() === 0) return undefined
  return 'needs root and: apt-get install --no-install-recommends swift-proxy swift-account swift-container swift-object memcached'
}

/** Starts the storage with a bucket, and puts its credentials into the environment of this process. The caller disposes of it. */
export async function startS3Bucket(Bucket: string): Promise<S3Server & { client: S3Client }> {
  const server = await startS3Server()
  Object.assign(process.env, server.credentials)
  const client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket }))
  return {
    ...server,
    client,
    async dispose() {
      client.destroy()
      await server.dispose()
      for (const name of Object.keys(server.credentials)) delete process.env[name]
    },
  }
}

/** Starts the storage on free ports. The caller disposes of it. */
async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-s3-'))
  const ports = Object.fromEntries(
    await Promise.all(
      ['account', 'container', 'object', 'memcached', 'proxy'].map(async name => [name, await findPort()]),
    ),
  ) as Record<string, number>
  const etc = writeSettings(folder, ports)
  let running: ChildProcess[] = []

  async function start(): Promise<void> {
    const run = (program: string, ...args: string[]) =>
      spawn(program, args, { stdio: 'ignore', env: { ...process.env, SWIFT_DIR: etc } })
    running = [run('memcached', '-u', 'root', '-l', '127.0.0.1', '-p', String(ports.memcached))]
    // The proxy leaves a server alone for a minute that did not answer a few times, so it starts last.
    for (const names of [['account', 'container', 'object'], ['proxy']]) {
      for (const name of names) running.push(run(`swift-${name}-server`, join(etc, `${name}-server.conf`)))
      for (const name of ['memcached', ...names]) await waitUntilOpen(ports[name] ?? 0)
    }
  }

  async function stop(): Promise<void> {
    const alive = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    const ended = alive.map(child => new Promise(done => child.once('exit', done)))
    for (const child of alive) child.kill('SIGTERM')
    await Promise.all(ended)
    running = []
  }

  await start()
  return {
    endpoint: `http://127.0.0.1:${ports.proxy}`,
    credentials: { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing-secret' },
    start,
    stop,
    async dispose() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the folder of the settings. */
function writeSettings(folder: string, ports: Record<string, number>): string {
  const etc = join(folder, 'etc')
  for (const path of [etc, join(folder, 'srv/d1'), join(folder, 'cache')]) mkdirSync(path, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(etc, name), text)
  write(
    'swift.conf',
    '[swift-hash]\nswift_hash_path_suffix = quire\n[storage-policy:0]\nname = default\ndefault = yes\n',
  )
  const common = `[DEFAULT]\nbind_ip = 127.0.0.1\nworkers = 0\nuser = root\nswift_dir = ${etc}\nlog_level = ERROR\n`
  for (const name of ['account', 'container', 'object']) {
    write(
      `${name}-server.conf`,
      `${common}bind_port = ${ports[name]}
devices = ${join(folder, 'srv')}
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
recon_cache_path = ${join(folder, 'cache')}
`,
    )
    for (const args of [['create', '4', '1', '1'], ['add', `r1z1-127.0.0.1:${ports[name]}/d1`, '1'], ['rebalance']]) {
      spawnSync('swift-ring-builder', [`${name}.builder`, ...args], { cwd: etc })
    }
  }
  const filters = ['catch_errors', 'bulk', 'slo', 'dlo'].map(name => `[filter:${name}]\nuse = egg:swift#${name}\n`)
  write(
    'proxy-server.conf',
    `${common}bind_port = ${ports.proxy}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
${filters.join('')}[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing-secret .admin .reseller_admin
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports.memcached}
[filter:s3api]
use = egg:swift#s3api
s3_acl = no
check_bucket_owner = false
location = us-east-1
min_segment_size = 5242880
`,
  )
  return etc
}

function findPort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer().on('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })
}

async function waitUntilOpen(port: number): Promise<void> {
  for (let i = 0; i < 300; i += 1) {
    if (await isOpen(port)) return
    await new Promise(done => setTimeout(done, 100))
  }
  throw new Error('The S3 server did not start.')
}

function isOpen(port: number): Promise<boolean> {
  return new Promise(done => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => done(false))
    socket.on('connect', () => {
      socket.destroy()
      done(true)
    })
  })
}
