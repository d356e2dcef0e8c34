import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** A PostgreSQL for the tests, or why there is none. */
export type FoundPostgres = { url: string } | { missing: string }

export interface StartedPostgres {
  found: FoundPostgres
  stop(): Promise<void>
}

/** The oldest version that Quire supports. */
const oldest = 15
const usualUrl = 'postgres://postgres@127.0.0.1:5432/postgres'
const startMs = 30_000
/** Durability costs time, and a test run does not survive a power cut anyway. */
const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=100', 'unix_socket_directories=']

/**
 * Uses the server of QUIRE_TEST_POSTGRES, else the one on the usual port of this machine if it lets everybody in, else starts the
 * installed PostgreSQL in a temporary folder.
 */
export async function startPostgres(): Promise<StartedPostgres> {
  const given = process.env.QUIRE_TEST_POSTGRES
  if (given !== undefined) return { found: await probe(given), stop: async () => {} }
  const usual = await probe(usualUrl)
  if ('url' in usual) return { found: usual, stop: async () => {} }
  const programs = findPrograms()
  if (programs === undefined) {
    const missing = `no PostgreSQL ${oldest} or newer is installed (apt-get install postgresql), and QUIRE_TEST_POSTGRES names none`
    return { found: { missing }, stop: async () => {} }
  }
  return startInFolder(programs)
}

/** Whether tests can create databases on a server. */
async function probe(url: string): Promise<FoundPostgres> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; may: boolean }>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version, rolcreatedb OR rolsuper AS may
       FROM pg_roles WHERE rolname = current_user`,
    )
    const [{ version = 0, may = false } = {}] = rows
    if (version < oldest) return { missing: `the PostgreSQL of ${hideSecret(url)} is older than ${oldest}` }
    return may ? { url } : { missing: `the user of ${hideSecret(url)} may not create databases` }
  } catch (error) {
    return { missing: `${hideSecret(url)} cannot be used: ${error instanceof Error ? error.message : error}` }
  } finally {
    await client.end().catch(() => {})
  }
}

function hideSecret(url: string): string {
  return url.replace(/(\/\/[^:/@]*):[^@]*@/, '$1@')
}

/** Returns the folder of `initdb` and `postgres`: Debian's newest, else the first in PATH that is new enough. */
export function findPrograms(path = process.env.PATH ?? '', usual = '/usr/lib/postgresql/*/bin'): string | undefined {
  const versions = globSync(usual).sort((a, b) => versionOf(b) - versionOf(a))
  const folders = [...versions, ...path.split(delimiter)]
  return folders.find(folder => {
    const hasAll = ['initdb', 'postgres'].every(name => existsSync(join(folder, name)))
    return hasAll && versionOf(folder) >= oldest
  })
}

/** Such as 15; NaN for what is no PostgreSQL. */
function versionOf(folder: string): number {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/^postgres \(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1])
}

async function startInFolder(programs: string): Promise<StartedPostgres> {
  const cluster = await makeCluster(programs)
  if ('missing' in cluster) return { found: cluster, stop: async () => {} }
  const found = await cluster.start()
  const stop = async () => {
    await cluster.stop()
    cluster.remove()
  }
  if ('url' in found) return { found, stop }
  await stop()
  return { found, stop: async () => {} }
}

/** A PostgreSQL in a temporary folder. */
export interface Cluster {
  /** Resolves when it accepts connections. */
  start(): Promise<FoundPostgres>
  /** Ends all connections and the server. The data stays. */
  stop(): Promise<void>
  /** Removes the folder of a server that does not run. */
  remove(): void
}

/** Prepares a server with its own data on a free port. */
export async function makeCluster(programs: string): Promise<Cluster | { missing: string }> {
  const user = chooseUser()
  const folder = mkdtempSync(join(tmpdir(), 'quire-postgres-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { ...user, cwd: folder }
  const initial = ['-D', data, '-U', 'quire', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const made = spawnSync(join(programs, 'initdb'), initial, { ...options, encoding: 'utf8' })
  if (made.status !== 0) {
    remove()
    return { missing: `initdb failed: ${made.error?.message ?? made.stderr}` }
  }
  const port = await findFreePort()
  const given = [...settings, 'listen_addresses=127.0.0.1', `port=${port}`].flatMap(setting => ['-c', setting])
  const url = `postgres://quire@127.0.0.1:${port}/postgres`
  let stop = async () => {}
  return {
    async start() {
      // The shell ends the server when this process has ended, however it ended.
      const script = '"$0" "$@" & server=$!; read -r _; kill -INT $server; wait $server'
      const shell = spawn('/bin/sh', ['-c', script, join(programs, 'postgres'), '-D', data, ...given], {
        ...options,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      const ended = new Promise<void>(done => shell.on('exit', () => done()))
      stop = async () => {
        shell.stdin.end()
        await ended
      }
      for (const endsAt = performance.now() + startMs; ; await pause(50)) {
        const found = await probe(url)
        if ('url' in found) return found
        if (performance.now() < endsAt && shell.exitCode === null) continue
        return { missing: `the server of ${programs} did not start: ${found.missing}` }
      }
    },
    stop: () => stop(),
    remove,
  }
}

/** PostgreSQL refuses to run as root. The package of Debian has a user for it. */
function chooseUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (what: '-u' | '-g') => Number(spawnSync('id', [what, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: ask('-u'), gid: ask('-g') }
}

function findFreePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().on('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (address !== null && typeof address === 'object' ? done(address.port) : fail(new Error())))
    })
  })
}
