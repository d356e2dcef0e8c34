import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listKnownSchemas } from '../../server/store/schema-versions.ts'
import { runQuire } from '../support/process.ts'

const { main } = listKnownSchemas()
const old = join(import.meta.dirname, '../store/schemas/main-9-visits-5/quire.db.gz')

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'quire-upgrade-'))
  writeFileSync(join(data, 'quire.db'), gunzipSync(readFileSync(old)))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

test('--check says what would change and changes nothing, and upgrade does it', async () => {
  const check = await runQuire(['upgrade', '--check', '--data', data])
  expect(check).toMatchObject({ code: 0, stderr: '' })
  expect(check.stdout).toMatch(
    new RegExp(
      `^quire\\.db \\([\\d.]+ [KM]B\\): schema 9 becomes ${main}, by 010-allowed-origins\\.sql.*\\.\nThe copies need [\\d.]+ [KM]B, `,
    ),
  )
  expect(readdirSync(data)).toEqual(['quire.db'])

  const upgrade = await runQuire(['upgrade', '--data', data, '--json'])
  expect(upgrade).toMatchObject({ code: 0, stderr: 'Upgrading quire.db ...\n' })
  expect(JSON.parse(upgrade.stdout)).toMatchObject({
    upgraded: true,
    refusal: null,
    databases: [{ path: 'quire.db', schema: 9, newest: main, problem: null }],
  })
  expect(readdirSync(data)).toContain('quire.db.schema-9')
  const again = await runQuire(['upgrade', '--data', data])
  expect(again).toEqual({ code: 0, stderr: '', stdout: '1 database needs no upgrade.\n' })
})

test('--check fails for a database from the future', async () => {
  const database = new Database(join(data, 'quire.db'))
  database.pragma(`user_version = ${main + 1}`)
  database.close()
  const { code, stdout, stderr } = await runQuire(['upgrade', '--check', '--data', data, '--json'])
  expect([code, stderr]).toEqual([
    1,
    `quire.db cannot be upgraded. A newer Quire wrote it: schema ${main + 1}. This version knows ${main}.\n`,
  ])
  expect(JSON.parse(stdout)).toMatchObject({ upgraded: false, databases: [{ migrations: [] }] })
})
