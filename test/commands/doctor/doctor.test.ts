import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkAgents } from '../../../server/commands/doctor/check-agents.ts'
import { checkClock } from '../../../server/commands/doctor/check-clock.ts'
import { checkDatabases } from '../../../server/commands/doctor/check-databases.ts'
import { checkDisk } from '../../../server/commands/doctor/check-disk.ts'
import { checkAddress, checkLinkKey } from '../../../server/commands/doctor/check-links.ts'
import { checkPermissions } from '../../../server/commands/doctor/check-permissions.ts'
import { checkVersions } from '../../../server/commands/doctor/check-versions.ts'
import { examine } from '../../../server/commands/doctor/examine.ts'
import type { Finding } from '../../../server/commands/doctor/finding.ts'
import { addExport, fillDataFolder, openMain, readTree } from '../../store/backup/data-folder.ts'

let data: string
const now = Date.UTC(2026, 10, 22)

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'quire-doctor-test-'))
  await fillDataFolder(data)
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

/** Each finding that is not ok, as one line; a finding without a remedy would be useless. */
function list(findings: readonly Finding[]): string[] {
  const wrong = findings.filter(({ level }) => level !== 'ok')
  expect(wrong.filter(({ remedy }) => !remedy)).toEqual([])
  return wrong.map(({ level, message }) => `${level}: ${message}`)
}

describe('databases', () => {
  test('a sound folder has one finding for each database, and nothing is written', async () => {
    const before = readTree(data)
    const findings = await checkDatabases(data)
    expect(list(findings)).toEqual([])
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^quire\.db is sound, schema \d+\.$/),
      expect.stringMatching(/^visits\/prj_1\.db is sound, schema \d+\.$/),
      'Each completed export has its bundle.',
    ])
    expect(readTree(data)).toEqual(before)
  })

  test('what a killed process left stays as it is', async () => {
    const main = openMain(data)
    main.exec("UPDATE organizations SET name = 'in the WAL'")
    const left = ['quire.db', 'quire.db-wal'].map(name => [join(data, name), readFileSync(join(data, name))] as const)
    main.close()
    for (const [file, bytes] of left) writeFileSync(file, bytes)
    writeFileSync(join(data, 'quire.db-shm'), '')
    expect(list(await checkDatabases(data))).toEqual([])
    for (const [file, bytes] of left) expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  test('a damaged, an empty, a newer and an older database', async () => {
    const file = join(data, 'visits/prj_1.db')
    const sound = readFileSync(file)
    const change = (at: number, value: number) => {
      const bytes = Buffer.from(sound)
      bytes.writeUInt32BE(value, at)
      writeFileSync(file, bytes)
    }
    change(60, 9999) // user_version, see https://www.sqlite.org/fileformat.html
    expect(list(await checkDatabases(data))).toEqual([
      expect.stringMatching(/^failure: .* has schema 9999; this Quire/),
    ])
    change(60, 1)
    expect(list(await checkDatabases(data))).toEqual([
      expect.stringMatching(/^warning: .*prj_1\.db has schema 1; the next/),
    ])
    change(60, 0)
    expect(list(await checkDatabases(data))).toEqual([
      expect.stringMatching(/^failure: .*prj_1\.db cannot be used: it was not made by Quire/),
    ])
    const bytes = Buffer.from(sound)
    bytes.fill(0xa5, 4096, 4096 * 3)
    writeFileSync(file, bytes)
    expect(list(await checkDatabases(data))).toEqual([expect.stringMatching(/^failure: visits\/prj_1\.db /)])
    writeFileSync(file, sound)
    for (const end of ['', '-wal', '-shm']) rmSync(join(data, `quire.db${end}`), { force: true })
    expect(list(await checkDatabases(data))).toEqual([expect.stringMatching(/^failure: There is no quire\.db in /)])
    expect(existsSync(join(data, 'quire.db'))).toBe(false)
    writeFileSync(join(data, 'quire.db'), '')
    expect(list(await checkDatabases(data))).toContain('failure: quire.db is empty.')
  })

  test('a missing bundle, one that is cut off, and a missing visitor key', async () => {
    addExport(data, 'se_2', 'will be cut off')
    writeFileSync(join(data, 'bundles/se_2.zip'), 'will')
    rmSync(join(data, 'bundles/se_1.zip'))
    rmSync(join(data, 'visitor.key'))
    expect(list(await checkDatabases(data))).toEqual([
      'failure: The bundles of 2 of 2 completed exports are missing, cut off or damaged: se_1, se_2.',
      'failure: visitor.key is missing, but visitors were counted with it.',
    ])
  })
})

describe('permissions', () => {
  test('a folder that only its owner may enter is fine', async () => {
    chmodSync(data, 0o700)
    expect(list(await checkPermissions(data))).toEqual([])
  })

  test.each([0o755, 0o710, 0o707])('a folder that others may enter fails: %o', async mode => {
    chmodSync(data, mode)
    expect(list(await checkPermissions(data))).toEqual([
      `failure: ${data} has the mode ${mode.toString(8)}: other users of this machine may enter it.`,
    ])
  })
})

describe('clock', () => {
  const day = 24 * 60 * 60 * 1000
  const keepFiles = (at: number) => {
    for (const name of readTree(data).keys()) utimesSync(join(data, name), at / 1000, at / 1000)
  }

  test('is fine if nothing is newer', async () => {
    keepFiles(now - 1000)
    expect(list(await checkClock(data, now))).toEqual([])
  })

  test('fails if a row is newer, which happens when the clock was set back', async () => {
    const main = openMain(data)
    main.prepare('UPDATE export_jobs SET updated_at = ?').run(now + day)
    main.close()
    keepFiles(now - 1000)
    expect(list(await checkClock(data, now))).toEqual([
      'failure: The clock says 2026-11-22T00:00:00.000Z, but export_jobs.updated_at in quire.db has 2026-11-23T00:00:00.000Z.',
    ])
  })

  test('warns if a file is newer, and fails before the first version', async () => {
    keepFiles(now - 1000)
    utimesSync(join(data, 'notes.txt'), (now + day) / 1000, (now + day) / 1000)
    expect(list(await checkClock(data, now))).toEqual([
      'warning: The clock says 2026-11-22T00:00:00.000Z, but notes.txt was changed at 2026-11-23T00:00:00.000Z.',
    ])
    expect(list(await checkClock(data, 0))).toEqual([expect.stringMatching(/^failure: The clock says 1970-01-01/)])
  })
})

describe('links', () => {
  test.each([
    [undefined, 'warning: No public address is set. Bundle links contain the address that the server listens on.'],
    [
      'http://0.0.0.0:8787',
      'failure: Bundle links contain http://0.0.0.0:8787, which is not an address that clients can use.',
    ],
    [
      'http://[::]:8787',
      'failure: Bundle links contain http://[::]:8787, which is not an address that clients can use.',
    ],
    ['http://localhost:8787', 'warning: Bundle links contain http://localhost:8787, which only this machine reaches.'],
    ['https://quire.invalid', expect.stringMatching(/^warning: https:\/\/quire\.invalid\/healthz does not answer/)],
  ])('the public address %s', async (url, message) => {
    expect(list([await checkAddress(url)])).toEqual([message])
  })

  test('the address is not checked if the settings cannot be read', async () => {
    const readServer = () => {
      throw new Error('The settings contradict each other.')
    }
    const findings = await examine({ dataFolder: data, env: {}, settings: [], readServer, now: () => now })
    const ofLinks = findings.filter(({ check }) => check === 'links')
    expect(ofLinks.map(({ message }) => message)).toEqual(['link.key is there.'])
  })

  test('a missing key fails only while links have not expired', async () => {
    rmSync(join(data, 'link.key'))
    expect(list([await checkLinkKey(data, now)])).toEqual([])
    const main = openMain(data)
    main.prepare('UPDATE export_jobs SET link_expires_at = ?').run(now + 1)
    main.close()
    expect(list([await checkLinkKey(data, now)])).toEqual([
      'failure: link.key is missing, and links to 1 bundles have not expired.',
    ])
    expect(existsSync(join(data, 'link.key'))).toBe(false)
    writeFileSync(join(data, 'link.key'), 'cut off')
    expect(list([await checkLinkKey(data, now)])).toEqual(['failure: link.key has 7 bytes, not 32.'])
  })
})

test('the disk and the versions are told', async () => {
  const [disk] = await checkDisk(data, Date.now())
  expect(disk?.message).toMatch(/has \d.* free\.$/)
  expect(checkVersions('v1.0.0')).toMatchObject([
    { level: 'warning', message: expect.stringMatching(/^Quire \d.*schema \d/) },
  ])
  expect(list(checkVersions(process.version))).toEqual([])
})

test('a disk that the bundles of the last 30 days would fill is a warning', async () => {
  const { bavail, bsize } = statfsSync(data)
  const file = join(data, 'bundles', 'se_0f3c9a1b2d4e5f60-1.zip')
  mkdirSync(join(data, 'bundles'), { recursive: true })
  // A file with a hole takes no space. Three times the free space in 30 days is full in 10 days.
  writeFileSync(file, '')
  truncateSync(file, 3 * bavail * bsize)
  const [warning] = list(await checkDisk(data, Date.now()))
  expect(warning).toMatch(
    /^warning: If exports go on as in the last 30 days, the disk of .* is full in (?:9|10) days\.$/,
  )
  const old = (Date.now() - 31 * 86_400_000) / 1000
  utimesSync(file, old, old)
  expect(list(await checkDisk(data, Date.now()))).toEqual([])
})

describe('agents', () => {
  const operators = ['2026-08-22', '2026-10-04'].map(asOf => ({
    operator: 'Example',
    lists: [
      { names: [`Bot of ${asOf}`], source: 'https://example.com', asOf, complete: true, ranges: ['203.0.113.0/24'] },
    ],
  }))

  test.each([
    ['2026-11-20', 'ok', 'The addresses of AI agents are of 2026-08-22 or newer.'],
    ['2026-11-21', 'warning', 'The addresses of Bot of 2026-08-22 are older than 2026-08-23: requests that'],
  ])('on %s, the result is %s', (date, level, message) => {
    const finding = checkAgents(Date.parse(date), operators)
    expect(finding).toMatchObject({ level, message: expect.stringContaining(message) })
  })
})
