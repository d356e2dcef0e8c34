import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addBackup } from '../../../server/store/backup/backup-folder.ts'
import { checkBackup } from '../../../server/store/backup/check-backup.ts'
import { findLastBackup } from '../../../server/store/backup/last-backup.ts'
import { createRandomBytes } from '../../support/random.ts'
import { backup, data, folder, restore, useBackupFolders } from './backup-folders.ts'

useBackupFolders()

const dayMs = 24 * 60 * 60 * 1000

function add(day: number, keep: number | null, onCheck: (progress: { path: string }) => void = () => {}) {
  const now = () => Date.UTC(2026, 10, 22, 3) + day * dayMs
  return addBackup({
    folder: join(folder, 'backups'),
    dataFolder: data,
    keep,
    version: '0.1.0',
    now,
    onProgress() {},
    onCheck,
  })
}

test('a folder keeps the newest backups, each of them sound, and all files of other names', async () => {
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  writeFileSync(join(backups, 'quire-2026-11-01.tar.gz'), 'of somebody else')
  const made = await add(0, 2)
  expect(made).toMatchObject({ path: join(backups, 'quire-20261122T030000Z.tar.gz'), deleted: [] })
  expect(made.checked).toMatchObject({ path: made.path, quire: '0.1.0', files: made.files, warnings: [] })
  await add(1, 2)
  expect((await add(2, 2)).deleted).toEqual([made.path])
  expect(readdirSync(backups).sort()).toEqual([
    'quire-2026-11-01.tar.gz',
    'quire-20261123T030000Z.tar.gz',
    'quire-20261124T030000Z.tar.gz',
  ])
  await restore('backups/quire-20261124T030000Z.tar.gz')
  expect((await add(3, null)).deleted).toEqual([])
})

test('a damaged backup is kept under another name, and deletes no older one', async () => {
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  const { createdAt } = await add(0, 1)
  // The backup is damaged while it is read, so it must be larger than what is read at once.
  writeFileSync(join(data, 'noise'), createRandomBytes('backup', 8_000_000))
  const path = join(backups, 'quire-20261123T030000Z.tar.gz')
  const damage = () => {
    const bytes = readFileSync(path)
    bytes.fill(0, bytes.length >> 1)
    writeFileSync(path, bytes)
  }
  let isDamaged = false
  const failure = add(1, 1, () => {
    if (!isDamaged) damage()
    isDamaged = true
  })
  await expect(failure).rejects.toThrow(`It is kept as ${path}.damaged, and no older backup was deleted.`)
  expect(await findLastBackup(data)).toBe(createdAt)
  expect(readdirSync(backups).sort()).toEqual([
    'quire-20261122T030000Z.tar.gz',
    'quire-20261123T030000Z.tar.gz.damaged',
  ])
})

test('a check changes nothing, and leaves nothing behind', async () => {
  await backup('b.tar')
  const before = readFileSync(join(folder, 'b.tar'))
  const names = readdirSync(folder)
  expect(await checkBackup({ source: join(folder, 'b.tar'), onProgress() {} })).toMatchObject({ quire: '0.1.0' })
  expect(readFileSync(join(folder, 'b.tar'))).toEqual(before)
  expect(readdirSync(folder)).toEqual(names)
  writeFileSync(join(folder, 'b.tar'), before.subarray(0, before.length - 4096))
  await expect(checkBackup({ source: join(folder, 'b.tar'), onProgress() {} })).rejects.toThrow('Use another backup.')
})

test.skipIf(process.getuid?.() === 0)('a backup in a folder that cannot be written is checked elsewhere', async () => {
  const path = join(folder, 'read-only')
  mkdirSync(path)
  await backup('read-only/b.tar')
  chmodSync(path, 0o500)
  expect(await checkBackup({ source: join(path, 'b.tar'), onProgress() {} })).toMatchObject({ quire: '0.1.0' })
})
