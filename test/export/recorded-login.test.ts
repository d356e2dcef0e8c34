import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import type { RecordedLogin } from '../../server/web/login/recorded-login.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { calledAs, runQuire, startServe } from '../support/process.ts'
import { type LoginSite, loginPassword, loginSteps, startLoginSite } from './login-site.ts'
import { readArchive, readEntry } from './read-archive.ts'

let folder: string
let site: LoginSite
const at = (name: string) => join(folder, name)
const env = { LOGIN_PASSWORD: loginPassword }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-login-'))
  writeFileSync(at('steps.jsonl'), loginSteps)
  site = await startLoginSite()
})
afterEach(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

function signIn(password = loginPassword) {
  const args = ['login', site.origin.href, '--session', at('session.json'), '--steps', at('steps.jsonl')]
  return runQuire(args, { env: { LOGIN_PASSWORD: password } })
}

function exportSite(file: string, ...args: string[]) {
  return runQuire(['export', site.origin.href, '-o', at(file), '--cache', at('cache'), ...args])
}

/** Returns the names of the files below a folder that contain a secret of the site, also in a compressed archive. */
function findLeaks(root: string): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const file = join(parentPath, name)
    const parts = /\.(?:zip|tar\.gz)$/.test(name)
      ? readArchive(file).flatMap(({ name, content }) => [Buffer.from(name), content])
      : []
    return [readFileSync(file), ...parts].some(bytes =>
      [...site.secrets, loginPassword].some(secret => bytes.includes(secret)),
    )
      ? [file]
      : []
  })
}

describe.skipIf(findBrowser() === null)('a site behind a login form', () => {
  test('is exported whole with the login of a file, twice with the same bytes, and nothing of the login is stored', async () => {
    const login = await signIn()
    expect(login).toMatchObject({ code: 0, stderr: '' })
    expect(login.stdout).toContain('2 cookies and 1 value of local storage are stored in the file')
    expect(statSync(at('session.json')).mode & 0o777).toBe(0o600)
    const first = await exportSite('a.zip', '--session', at('session.json'))
    expect(first).toMatchObject({ code: 0 })
    const entries = readArchive(at('a.zip'))
    for (const name of ['index.html', ...Array.from({ length: 9 }, (_, number) => `page${number}.html`)]) {
      const title = name === 'index.html' ? 'home' : name.replace('.html', '')
      expect(readEntry(entries, name)).toContain(`${title}word29`)
      expect(readEntry(entries, name)).toContain(`section-${title}word29`)
    }
    expect(site.refused).toEqual([])
    const second = await exportSite('b.zip', '--session', at('session.json'))
    expect(second).toMatchObject({ code: 0 })
    expect(readFileSync(at('b.zip')).equals(readFileSync(at('a.zip')))).toBe(true)
    const session = readFileSync(at('session.json'))
    rmSync(at('session.json'))
    writeFileSync(at('output.txt'), JSON.stringify([login, first, second]))
    expect(findLeaks(folder)).toEqual([])
    const { cookies, storage } = JSON.parse(session.toString()) as RecordedLogin
    expect(cookies.map(({ name }) => name).sort()).toEqual(['rolling', 'session'])
    expect(Object.keys(storage)).toEqual(['access_token'])
  })

  test('is not exported without a login, and the message names the command', async () => {
    const { code, stderr } = await exportSite('a.zip')
    expect(code).toBe(1)
    expect(stderr).toContain(
      `answers with its login page (/login) instead of /: 1 address needs a login. Record a login with npx quire login, or use npx quire export --header.`,
    )
    expect(existsSync(at('a.zip'))).toBe(false)
  })

  test('is not exported once the session has ended, before the export or midway', async () => {
    await signIn()
    site.endAfter(5)
    const midway = await exportSite('a.zip', '--session', at('session.json'))
    expect([midway.code, midway.stderr]).toEqual([
      1,
      expect.stringMatching(/has ended: .+ Record it again with: npx quire login/),
    ])
    const later = await exportSite('a.zip', '--session', at('session.json'))
    expect([later.code, later.stderr]).toEqual([1, expect.stringContaining('has ended: / redirects to ')])
    expect(existsSync(at('a.zip'))).toBe(false)
    rmSync(at('session.json'))
    expect(findLeaks(folder)).toEqual([])
  })

  test('refuses a login file that others can read, and one whose cookies have expired', async () => {
    await signIn()
    const login = JSON.parse(readFileSync(at('session.json'), 'utf8')) as RecordedLogin
    const cookies = login.cookies.map(cookie => ({ ...cookie, expiresAt: 1_000_000 }))
    writeFileSync(at('session.json'), JSON.stringify({ ...login, cookies }))
    const expired = await exportSite('a.zip', '--session', at('session.json'))
    expect([expired.code, expired.stderr]).toEqual([
      1,
      expect.stringMatching(/^The recorded login has expired: the cookie \w+ ended 1970-01-01T00:16:40\.000Z\./),
    ])
    chmodSync(at('session.json'), 0o644)
    const open = await exportSite('a.zip', '--session', at('session.json'))
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('can be read by other users')])
  })

  test('stores nothing when the password is wrong, and does not repeat it', async () => {
    writeFileSync(at('steps.jsonl'), loginSteps.split('\n').slice(0, -1).join('\n'))
    const { code, stdout, stderr } = await signIn('guess-me-12')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `Nobody is signed in to ${site.origin.host}: the page /login still asks for a password. Nothing was stored.\n`,
    )
    expect(existsSync(at('session.json'))).toBe(false)
  })
})

describe.skipIf(findBrowser() === null)('a registered site behind a login form', () => {
  test('is exported by a server with the login stored in its database, until it is forgotten', async () => {
    const data = at('data')
    const quire = async (...args: string[]) => {
      const { code, stdout, stderr } = await runQuire([...args, '--data', data], { env })
      expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
      return stdout.trim()
    }
    const org = await quire('orgs', 'create', 'Acme', '--plan', 'enterprise')
    const project = await quire('projects', 'create', 'Docs', '--org', org)
    const domain = 'docs.example.com'
    await quire('sites', 'create', domain, '--project', project, '--origin', site.origin.href, '--no-probe')
    expect(await quire('login', domain, '--steps', at('steps.jsonl'))).toContain(
      'are stored in the data folder, encrypted',
    )
    expect(JSON.parse(await quire('sites', 'list', '--json'))).toEqual([
      expect.objectContaining({ domain, loginAt: expect.stringMatching(/^20/) }),
    ])
    const key = await quire('keys', 'create', 'ci', '--org', org)
    const server = await startServe(['--data', data, '--log-level', 'trace'])
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const run = async () => {
      const start = { method: 'POST', headers, body: JSON.stringify({ domain }) }
      const { json: job } = await send(server.url, '/v1/static-export/jobs', start)
      return waitFor(async () => {
        const { json } = await send(server.url, `/v1/static-export/jobs/${job.jobId}`, { headers })
        return json.status === 'completed' || json.status === 'failed' ? json : undefined
      })
    }
    expect(await run()).toMatchObject({ status: 'completed', pageCount: 10 })
    await quire('sites', 'forget-login', domain)
    expect(await run()).toMatchObject({ status: 'failed', error: expect.stringContaining('npx quire login') })
    await server.end('SIGTERM')
    writeFileSync(at('log.txt'), server.output())
    expect(findLeaks(folder)).toEqual([])
    const events = await quire('audit', '--json')
    expect(events).toContain('login recorded')
    expect(events).toContain('login forgotten')
  })
})

test('without a display and without steps, the command says how to sign in', async () => {
  const args = ['login', site.origin.href, '--session', at('session.json')]
  const { code, stderr } = await runQuire(args, { env: { DISPLAY: '', WAYLAND_DISPLAY: '', XAUTHORITY: '' } })
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--steps FILE (see ${calledAs} login --help)`)])
})
