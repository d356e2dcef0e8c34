import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listLogEntries, toSuffix } from '../../../server/analytics/follow/log-entries.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-entries-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['access.log.1', '1'],
  ['access.log.12.gz', '12'],
  ['access.log.3.zst', '3'],
  ['access.log-20261121', '20261121'],
  ['access.log-20261121.gz', '20261121'],
  ['access.log.2026-11-21-13', '2026-11-21-13'],
  ['access.log.1763700000', '1763700000'],
  ['access.log.old', 'old'],
  ['access.1.log', '1'],
  ['access-20261121.log.gz', '20261121'],
  ['access.log', undefined],
  ['access.log.gz', undefined],
  ['access.log.bak', undefined],
  ['access.log.1.swp', undefined],
  ['access.log-errors.1', undefined],
  ['access-2.log', undefined],
  ['error.log.1', undefined],
  ['errors.1.log', undefined],
  ['access.1.txt', undefined],
])('the suffix of %s is %s', (name, suffix) => {
  expect(toSuffix(name, 'access.log')).toBe(suffix)
})

test.each([
  ['numbers', ['access.log.10.gz', 'access.log.9', 'access.log.2', 'access.log.1'], [1, 2, 3, 4]],
  ['numbers, whatever the times say', ['access.log.2', 'access.log.1'], [9, 1]],
  ['dates', ['access.log-20251231.gz', 'access.log-20261101', 'access.log-20261121'], [3, 2, 1]],
  ['days before months: by time', ['access.log-30112026', 'access.log-01122026'], [1, 2]],
  ['several kinds: by time', ['access.log.2', 'access.log-20261121', 'access.log.1'], [1, 2, 3]],
])('lists oldest first: %s', async (_, names, times) => {
  for (const [i, name] of names.entries()) {
    writeFileSync(join(folder, name), name)
    utimesSync(join(folder, name), times[i] as number, times[i] as number)
  }
  const log = join(folder, 'access.log')
  writeFileSync(log, '')
  utimesSync(log, 0, 0)
  const entries = await listLogEntries(log)
  expect(entries.map(({ path }) => basename(path))).toEqual([...names, 'access.log'])
})

test('uses the uncompressed file while it is being compressed', async () => {
  for (const name of ['access.log.1', 'access.log.1.gz']) writeFileSync(join(folder, name), 'x')
  const entries = await listLogEntries(join(folder, 'access.log'))
  expect(entries.map(({ path, isCompressed }) => [basename(path), isCompressed])).toEqual([['access.log.1', false]])
})

test('finds nothing without a log or a folder', async () => {
  expect(await listLogEntries(join(folder, 'access.log'))).toEqual([])
  expect(await listLogEntries(join(folder, 'none', 'access.log'))).toEqual([])
})
