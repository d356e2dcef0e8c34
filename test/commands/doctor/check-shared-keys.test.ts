import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { checkSharedKeys } from '../../../server/commands/doctor/check-postgres.ts'
import { fingerprintLinkKey, fingerprintVisitorKey } from '../../../server/store/key-fingerprints.ts'

let dataFolder: string
beforeEach(context => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-shared-keys-'))
  context.onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
})

const key = Buffer.alloc(32, 0xab)
const other = Buffer.alloc(32, 0xcd)
const used = { linkKeyFingerprint: fingerprintLinkKey(key), visitorKeyFingerprint: fingerprintVisitorKey(key) }
const unused = { linkKeyFingerprint: undefined, visitorKeyFingerprint: undefined }

function put(name: string, content: string | Buffer): string {
  const file = join(dataFolder, name)
  writeFileSync(file, content)
  return file
}
const check = (files: { linkKeyFile?: string; visitorKeyFile?: string }, fingerprints = used) =>
  checkSharedKeys({ dataFolder, ...files }, fingerprints).map(({ check, level, message, remedy }) => [
    check,
    level,
    message.replaceAll(`${dataFolder}/`, ''),
    remedy?.replaceAll(`${dataFolder}/`, '') ?? null,
  ])

test('keys of the data folder and of files that servers share are those of the database', () => {
  put('link.key', key)
  put('visitor.key', key)
  const sound = [
    ['links', 'ok', 'link.key has the link key of the database.', null],
    ['databases', 'ok', 'visitor.key has the visitor key of the database.', null],
  ]
  expect(check({})).toEqual(sound)
  const linkKeyFile = put('links', `${other.toString('hex')}\n${key.toString('hex')}\n`)
  expect(check({ linkKeyFile })).toEqual([['links', 'ok', 'links has the link key of the database.', null], sound[1]])
})

test('another key than that of the database fails, without the key', () => {
  const linkKeyFile = put('links', other.toString('hex'))
  const visitorKeyFile = put('visitors', other.toString('hex'))
  const findings = check({ linkKeyFile, visitorKeyFile })
  const copy = 'Copy the file of a server that works, and name it with'
  expect(findings).toEqual([
    [
      'links',
      'failure',
      'links has another link key than the servers of the database. A server with it does not start.',
      `${copy} --link-key-file.`,
    ],
    [
      'databases',
      'failure',
      'visitors has another visitor key than the servers of the database. This machine counts no visitors with it.',
      `${copy} --visitor-key-file.`,
    ],
  ])
  expect(JSON.stringify(findings)).not.toContain('cdcd')
})

test('a machine without keys is sound, and one with a missing or a wrong file is not', () => {
  expect(check({})).toEqual([])
  const visitorKeyFile = put('visitors', 'no key')
  expect(check({ linkKeyFile: join(dataFolder, 'none'), visitorKeyFile })).toEqual([
    [
      'links',
      'failure',
      'The link key of this machine cannot be used.',
      '--link-key-file: none cannot be read (ENOENT).',
    ],
    [
      'databases',
      'failure',
      'The visitor key of this machine cannot be used.',
      expect.stringContaining('must have 64 hexadecimal digits'),
    ],
  ])
})

test('a database whose servers use no key yet takes any', () => {
  put('link.key', key)
  expect(check({}, unused as unknown as typeof used)).toEqual([
    ['links', 'ok', 'link.key has a link key. No server of the database uses one yet.', null],
  ])
})
