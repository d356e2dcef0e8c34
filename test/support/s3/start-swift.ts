import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StartedService } from '../on-demand.ts'
import { end, runUntilEnd } from '../tied-program.ts'

export const credentials = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing-secret' }

const services = ['account', 'container', 'object'] as const

/** Starts the storage on free ports. */
export async function startSwift(): Promise<StartedService<{ endpoint: string }>> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-s3-'))
  const names = [...services, 'memcached', 'proxy']
  const ports = Object.fromEntries(await Promise.all(names.map(async name => [name, await findPort()])))
  const etc = await writeSettings(folder, ports)
  const running: ChildProcess[] = []
  const run = (program: string, ...args: string[]) => running.push(runUntilEnd(program, args, { SWIFT_DIR: etc }))
  run('memcached', '-u', 'root', '-l', '127.0.0.1', '-p', String(ports.memcached))
  // The proxy leaves a server alone for a minute that did not answer a few times, so it starts last.
  for (const started of [services, ['proxy']]) {
    for (const name of started) run(`swift-${name}-server`, join(etc, `${name}-server.conf`))
    for (const name of ['memcached', ...started]) await waitUntilOpen(ports[name])
  }
  return {
    found: { endpoint: `http://127.0.0.1:${ports.proxy}` },
    async stop() {
      await Promise.all(running.map(end))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the folder of the settings. */
async function writeSettings(folder: string, ports: Record<string, number>): Promise<string> {
  const etc = join(folder, 'etc')
  for (const path of [etc, join(folder, 'srv/d1'), join(folder, 'cache')]) mkdirSync(path, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(etc, name), text)
  write(
    'swift.conf',
    '[swift-hash]\nswift_hash_path_suffix = quire\n[storage-policy:0]\nname = default\ndefault = yes\n',
  )
  const common = `[DEFAULT]\nbind_ip = 127.0.0.1\nworkers = 0\nuser = root\nswift_dir = ${etc}\nlog_level = ERROR\n`
  for (const name of services) {
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
  }
  await Promise.all(services.map(name => buildRing(etc, name, ports[name])))
  const filters = ['catch_errors', 'bulk', 'slo', 'dlo'].map(name => `[filter:${name}]\nuse = egg:swift#${name}\n`)
  write(
    'proxy-server.conf',
    `${common}bind_port = ${ports.proxy}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
node_timeout = 60
conn_timeout = 10
error_suppression_limit = 1000
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

/** Names the server that stores everything of a service. */
async function buildRing(cwd: string, name: string, port: number | undefined): Promise<void> {
  for (const args of [['create', '4', '1', '1'], ['add', `r1z1-127.0.0.1:${port}/d1`, '1'], ['rebalance']]) {
    const child = spawn('swift-ring-builder', [`${name}.builder`, ...args], { cwd, stdio: 'ignore' })
    await new Promise((done, failed) => child.on('error', failed).on('exit', done))
  }
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

async function waitUntilOpen(port = 0): Promise<void> {
  for (let i = 0; i < 600; i += 1) {
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
