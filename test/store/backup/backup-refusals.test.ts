import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { backup, data, folder, restore, restored, useBackupFolders } from './backup-folders.ts'
import { addExport, listCompleted, projectId, readTree } from './data-folder.ts'

useBackupFolders()

describe('a name that is in use', () => {
  test.each(['b.tar', 'b'])('%s is replaced only with --overwrite', async name => {
    await backup(name)
    addExport(data, 'se_2', 'newer')
    await expect(backup(name)).rejects.toThrow(/already exists.*--overwrite/)
    await restore(name, join(folder, 'old'))
    expect(listCompleted(join(folder, 'old'))).toHaveLength(1)
    await backup(name, { overwrite: true })
    await restore(name)
    expect(listCompleted(restored)).toHaveLength(2)
    expect(readdirSync(folder).sort()).toEqual(['data', 'old', 'restored', name].sort())
  })

  test('a folder that is not a backup is never replaced', async () => {
    mkdirSync(join(folder, 'home'))
    writeFileSync(join(folder, 'home/letter'), '')
    await expect(backup('home', { overwrite: true })).rejects.toThrow(/is not a backup/)
    expect(existsSync(join(folder, 'home/letter'))).toBe(true)
  })

  test.each([
    ['an empty file', ''],
    ['a text', 'a letter'],
    ['another archive', Buffer.alloc(10_240)],
  ])('a file that is %s is never replaced', async (_, content) => {
    writeFileSync(join(folder, 'home.tar'), content)
    await expect(backup('home.tar', { overwrite: true })).rejects.toThrow(/is not a backup/)
    expect(readFileSync(join(folder, 'home.tar'))).toEqual(Buffer.from(content))
  })

  test.each([
    ['a folder in the way of an archive', 'taken.tar', /is not a file/],
    ['an unusual ending', 'b.zip', /ends in \.tar or \.tar\.gz/],
    ['a place inside the data folder', 'data/b.tar', /inside the data folder/],
    ['the data folder', 'data', /contains the data folder/],
    ['a missing folder', 'nowhere/b.tar', /does not exist/],
  ])('refuses %s', async (_, name, message) => {
    mkdirSync(join(folder, 'taken.tar'))
    const before = readTree(folder)
    await expect(backup(name, { overwrite: true })).rejects.toThrow(message)
    expect(readTree(folder)).toEqual(before)
  })
})

describe('a backup that fails', () => {
  test.each(['b.tar', 'b'])('leaves nothing of %s', async name => {
    const before = readdirSync(folder)
    const onProgress = () => {
      throw new Error('no more')
    }
    await expect(backup(name, { onProgress })).rejects.toThrow('no more')
    expect(readdirSync(folder)).toEqual(before)
  })

  test('is refused with words for a damaged database, an empty one, and a missing one', async () => {
    const visits = join(data, 'visits', `${projectId}.db`)
    const sound = readFileSync(visits)
    const bytes = Buffer.from(sound)
    bytes.fill(0xa5, 4096)
    writeFileSync(visits, bytes)
    await expect(backup('b.tar')).rejects.toThrow(/prj_1\.db is damaged/)
    writeFileSync(visits, sound)
    for (const end of ['', '-wal', '-shm']) rmSync(join(data, `quire.db${end}`), { force: true })
    await expect(backup('b.tar')).rejects.toThrow(/no database in .*--data/)
    writeFileSync(join(data, 'quire.db'), '')
    await expect(backup('b.tar')).rejects.toThrow(/quire\.db is empty/)
    expect(existsSync(join(folder, 'b.tar'))).toBe(false)
  })

  test('what a killed one left is removed by the next one', async () => {
    const killed = join(folder, 'quire-backup-AbCd12')
    mkdirSync(join(killed, 'site'), { recursive: true })
    writeFileSync(join(killed, 'owner.lock'), '')
    writeFileSync(join(killed, 'site', 'backup.tar'), 'half')
    await backup('b.tar')
    expect(existsSync(killed)).toBe(false)
  })
})
