import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkLogs } from '../../../server/commands/doctor/check-logs.ts'
import { findLogPosition } from '../../../server/store/find-log-position.ts'
import { readTree } from '../../store/backup/data-folder.ts'
import { runQuire } from '../../support/process.ts'

const line = '203.0.113.9 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0"\n'
let folder: string
let data: string
let log: string
let projectId: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-check-logs-'))
  data = join(folder, 'data')
  log = join(folder, 'access.log')
  await runQuire(['orgs', 'create', 'Acme', '--data', data, '--json'])
  const { stdout } = await runQuire(['projects', 'create', 'Docs', '--data', data, '--json'])
  projectId = JSON.parse(stdout).id
  writeFileSync(log, line)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const check = (findPosition = async () => findLogPosition(data, projectId, log)) =>
  checkLogs([{ file: log, projectId }], findPosition, 200)
const follow = () => runQuire(['visits', 'follow', log, '--project', projectId, '--once', '--data', data])

test('a followed log is compared with what was read', async () => {
  expect(await check()).toMatchObject([
    { level: 'warning', message: `${log} has 87 bytes of unread lines, and no server is reading them.` },
  ])
  await follow()
  const before = readTree(data)
  expect(await check()).toEqual([{ check: 'logs', level: 'ok', message: `${log} is read to its end.`, remedy: null }])
  expect(readTree(data)).toEqual(before)
  appendFileSync(log, line)
  expect(await check()).toMatchObject([{ level: 'warning', message: expect.stringContaining('87 bytes of') }])
  await follow()
  appendFileSync(log, line.slice(0, 20))
  expect(await check()).toMatchObject([{ level: 'ok' }])
  // Emptied, as copytruncate does.
  writeFileSync(log, line)
  expect(await check()).toMatchObject([{ level: 'warning', message: expect.stringContaining('87 bytes of') }])
  // Rotated: nothing of the new file was read.
  renameSync(log, `${log}.1`)
  writeFileSync(log, line + line + line)
  expect(await check()).toMatchObject([{ level: 'warning', message: expect.stringContaining('261 bytes of') }])
})

test('a log whose position moves is being read', async () => {
  let position = 0
  const findings = await check(async () => JSON.stringify({ version: 1, read: position++ }))
  expect(findings).toMatchObject([{ level: 'ok', message: expect.stringMatching(/ and a server is reading them\.$/) }])
})

test('what cannot be compared is named, and buckets are left out', async () => {
  const missing = join(folder, 'missing.log')
  const newer = async () => JSON.stringify({ version: 9 })
  expect(await checkLogs([{ file: missing }], async () => undefined, 0)).toMatchObject([
    { level: 'warning', message: `The followed log ${missing} does not exist.` },
  ])
  expect(await check(newer)).toMatchObject([{ level: 'failure', message: expect.stringContaining('Upgrade Quire.') }])
  expect(await checkLogs([{ file: 's3://logs/docs/' }], newer, 0)).toEqual([])
})
