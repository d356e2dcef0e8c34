import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runQuire } from '../support/process.ts'
import { startCommandSite } from './command-site.ts'
import type { RunningServer } from './static-server.ts'

const env = { PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chromium' }
let folder = ''
let site: RunningServer
const at = (name: string) => join(folder, name)

function makeKey(name: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(at(`${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(at(`${name}.pub.pem`), publicKey.export({ type: 'spki', format: 'pem' }))
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-signed-'))
  site = await startCommandSite()
  makeKey('mine')
  makeKey('other')
  const args = ['export', site.origin.href, '-o', at('docs.zip'), '--sign', at('mine.pem'), '--json']
  const { code, stdout } = await runQuire(args, { env })
  expect([code, JSON.parse(stdout).signature]).toEqual([
    0,
    { file: at('docs.zip.sig'), keyId: expect.stringMatching(/^[0-9a-f]{16}$/) },
  ])
})
afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

const check = (name: string, ...more: string[]) =>
  runQuire(['export', '--check', at(name), '--verify', 'static', ...more], { env })

test('a signed bundle is verified offline with the public key', async () => {
  const { code, stdout } = await check(
    'docs.zip',
    '--trusted-key',
    at('other.pub.pem'),
    '--trusted-key',
    at('mine.pub.pem'),
  )
  expect(stdout).toMatch(
    /\nMade by Quire \S+\. Its files were compared with quire-manifest\.json\.\nSigned with the trusted key [0-9a-f]{16} at 20/,
  )
  expect(code).toBe(0)
})

describe('a bundle is refused', () => {
  beforeAll(() => {
    const bytes = readFileSync(at('docs.zip'))
    // The date of the first file, which no check of the content sees.
    bytes[10] = (bytes[10] ?? 0) ^ 1
    writeFileSync(at('changed.zip'), bytes)
    copyFileSync(at('docs.zip.sig'), at('changed.zip.sig'))
    copyFileSync(at('docs.zip'), at('unsigned.zip'))
  })
  test.each([
    ['changed by one bit', 'changed.zip', 'mine', /Fault: The signature belongs to another archive/],
    [
      'without a signature',
      'unsigned.zip',
      'mine',
      /Fault: The bundle is not signed: .*unsigned\.zip\.sig cannot be read/,
    ],
    [
      'signed with another key',
      'docs.zip',
      'other',
      /Fault: The bundle is signed with the key [0-9a-f]{16}, which is not trusted/,
    ],
  ])('%s', async (_, name, key, fault) => {
    const { code, stdout } = await check(name, '--trusted-key', at(`${key}.pub.pem`))
    expect(stdout).toMatch(fault)
    expect(code).toBe(1)
  })
})

describe('wrong usage exits with 2 before anything is fetched', () => {
  test.each<[string, (url: string) => string[], RegExp]>([
    ['a folder is not signed', url => [url, '-o', at('docs/'), '--sign', at('mine.pem')], /--sign signs an archive/],
    [
      'a key that is missing',
      url => [url, '-o', at('x.zip'), '--sign', at('none.pem')],
      /none\.pem cannot be read \(ENOENT\)/,
    ],
    ['a public key', url => [url, '-o', at('x.zip'), '--sign', at('mine.pub.pem')], /is not a private key in PEM/],
    [
      'a trusted key without a check',
      url => [url, '-o', at('x.zip'), '--trusted-key', at('mine.pub.pem')],
      /Give it with --check/,
    ],
    ['a private key to trust', () => ['--check', at('docs.zip'), '--trusted-key', at('mine.pem')], /has a private key/],
  ])('%s', async (_, args, reason) => {
    const { code, stderr } = await runQuire(['export', ...args(site.origin.href)], { env })
    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)])
    expect(stderr).not.toContain('BEGIN')
    expect(existsSync(at('x.zip'))).toBe(false)
  })
})
