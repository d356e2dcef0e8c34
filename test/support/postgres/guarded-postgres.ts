import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findPrograms, makeCluster } from './start-postgres.ts'

/** A server that asks every role but the superuser of the tests for a password, and speaks TLS if it is told to. */
export interface GuardedPostgres {
  /** The address of the superuser. */
  url: string
  run(sql: string): Promise<Record<string, unknown>[]>
  /** The file of the authority that signed the certificates. */
  authority: string
  /** Answers new connections with a certificate for 127.0.0.1. */
  present(certificate: keyof Certificates): Promise<void>
  stop(): Promise<void>
}

interface Certificates {
  signed: string
  expired: string
  selfSigned: string
}

/** Starts a server of its own, because the one of a test run asks for no password. */
export async function startGuardedPostgres(): Promise<GuardedPostgres | { missing: string }> {
  const programs = findPrograms()
  if (programs === undefined) return { missing: 'no PostgreSQL is installed' }
  const cluster = await makeCluster(programs)
  if ('missing' in cluster) return cluster
  const found = await cluster.start()
  if ('missing' in found) return found
  const pool = new pg.Pool({ connectionString: found.url, max: 1 })
  // The end of the server may arrive before the end of its connections.
  pool.on('error', () => {})
  const run = async (sql: string) => (await pool.query(sql)).rows
  const folder = mkdtempSync(join(tmpdir(), 'quire-certificates-'))
  const { authority, key, certificates } = makeCertificates(folder)
  const [{ file = '' } = {}] = await run("SELECT current_setting('hba_file') AS file")
  writeFileSync(file, 'host all quire 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  // The server refuses a key of others.
  const { uid, gid } = statSync(file)
  for (const owned of [folder, key, ...Object.values(certificates)]) chownSync(owned, uid, gid)
  const reload = openReload(found.url, run)
  await reload()
  return {
    url: found.url,
    run,
    authority,
    async present(certificate) {
      await run(`ALTER SYSTEM SET ssl_key_file = '${key}'`)
      await run(`ALTER SYSTEM SET ssl_cert_file = '${certificates[certificate]}'`)
      await run('ALTER SYSTEM SET ssl = on')
      await reload()
    },
    async stop() {
      await pool.end()
      await cluster.stop()
      cluster.remove()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Returns what makes the server read its files again, and waits until new connections are made by them. */
function openReload(url: string, run: GuardedPostgres['run']): () => Promise<void> {
  let reloads = 0
  return async () => {
    const mark = `reload ${++reloads}`
    await run(`ALTER SYSTEM SET log_line_prefix = '${mark}'`)
    await run('SELECT pg_reload_conf()')
    for (let seen: unknown; seen !== mark; ) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      seen = (await client.query("SELECT current_setting('log_line_prefix') AS mark")).rows[0]?.mark
      await client.end()
    }
  }
}

function makeCertificates(folder: string): { authority: string; key: string; certificates: Certificates } {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const at = (name: string) => join(folder, name)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1']
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=authority')
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server', ...names)
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy']
  for (const [name, days] of [
    ['signed', '2'],
    ['expired', '-1'],
  ] as const) {
    openssl('x509', '-req', '-in', 'server.csr', ...authority, '-days', days, '-out', `${name}.crt`)
  }
  openssl('req', '-x509', '-key', 'server.key', '-out', 'selfSigned.crt', '-subj', '/CN=server', ...names)
  chmodSync(at('server.key'), 0o600)
  return {
    authority: at('ca.crt'),
    key: at('server.key'),
    certificates: { signed: at('signed.crt'), expired: at('expired.crt'), selfSigned: at('selfSigned.crt') },
  }
}
