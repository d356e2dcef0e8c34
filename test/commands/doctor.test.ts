import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillDataFolder, readTree } from '../store/backup/data-folder.ts'
import { runQuire } from '../support/process.ts'

let folder: string
let data: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-doctor-command-'))
  data = join(folder, 'data')
  await fillDataFolder(data)
  chmodSync(data, 0o700)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const doctor = (env: Record<string, string>, ...args: string[]) =>
  runQuire(['doctor', '--data', data, ...args], { env })

test('a healthy installation exits with 0, and nothing is written', async () => {
  const before = readTree(data)
  const { code, stdout, stderr } = await doctor({}, '--json')
  const { healthy, findings } = JSON.parse(stdout)
  expect({ code, stderr, healthy }).toEqual({ code: 0, stderr: '', healthy: true })
  const checks = findings.map(({ check }: { check: string }) => check)
  expect(new Set(checks)).toEqual(
    new Set([
      'versions',
      'settings',
      'disk',
      'permissions',
      'databases',
      'backup',
      'clock',
      'links',
      'agents',
      'browser',
    ]),
  )
  expect(readTree(data)).toEqual(before)
})

test('a failing check exits with 1, and the report has each remedy in lines of 80 characters', async () => {
  const { code, stdout, stderr } = await doctor({ QUIRE_PORT: 'x', QUIRE_PUBLC_URL: 'https://api.example.com' })
  expect({ code, stderr }).toEqual({ code: 1, stderr: '2 checks failed.\n' })
  expect(stdout).toMatch(/^FAILURE {2}settings +QUIRE_PUBLC_URL is not a setting, so it is ignored\.$/m)
  expect(stdout.replaceAll(/\n +/g, ' ')).toContain('Remedy: Rename it to QUIRE_PUBLIC_URL, or remove it.')
  expect(stdout.replaceAll(/\n +/g, ' ')).toContain('Remedy: It must be a whole number from 0 to 65535.')
  const tooLong = stdout
    .split('\n')
    .filter(line => line.length > 80 && line.trim().includes(' ') && !line.includes('/'))
  expect(tooLong).toEqual([])
})

test('a missing data folder fails, and is not created', async () => {
  const { code, stdout } = await runQuire(['doctor', '--data', join(folder, 'nowhere')])
  expect(code).toBe(1)
  expect(stdout).toContain('There is no data folder')
  expect(readTree(folder).has('nowhere')).toBe(false)
})

test('the settings of every command are known', async () => {
  const env = {
    QUIRE_MAX_PAGES: '5',
    QUIRE_PLAN: 'standard',
    QUIRE_EXPORT_OUTPUT: 'x.zip',
    QUIRE_FOLLOW_GRACE_SECONDS: '5',
  }
  const { stdout } = await doctor(env, '--json')
  const { findings } = JSON.parse(stdout)
  expect(findings.find(({ check }: { check: string }) => check === 'settings')).toMatchObject({ level: 'ok' })
})

test('a variable of a flag without a value must be on or off', async () => {
  const env = { QUIRE_VALIDATE_RESPONSES: 'off', QUIRE_NO_EXPORT_CACHE: '', QUIRE_NO_PROBE: 'ja', QUIRE_BY_HOST: '2' }
  const { code, stdout } = await doctor(env, '--json')
  const { findings } = JSON.parse(stdout)
  const remedy = 'It must be 1, true, yes or on; or 0, false, no, off or empty.'
  expect(code).toBe(1)
  expect(findings.filter(({ check }: { check: string }) => check === 'settings')).toEqual(
    expect.arrayContaining([
      { check: 'settings', level: 'failure', message: 'QUIRE_NO_PROBE cannot be used.', remedy },
      { check: 'settings', level: 'failure', message: 'QUIRE_BY_HOST cannot be used.', remedy },
    ]),
  )
  expect(stdout).not.toMatch(/QUIRE_VALIDATE_RESPONSES cannot|QUIRE_NO_EXPORT_CACHE cannot/)
})
