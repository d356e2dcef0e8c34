import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type BackupOptions, makeBackup } from '../../../server/store/backup/make-backup.ts'
import { restoreBackup } from '../../../server/store/backup/restore-backup.ts'
import { fillDataFolder } from './data-folder.ts'

/** For the backups of a test. */
export let folder: string
/** A filled data folder. */
export let data: string
/** Where `restore` puts a backup. It does not exist yet. */
export let restored: string

/** Gives each test of the file these folders. */
export function useBackupFolders(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-backup-test-'))
    data = join(folder, 'data')
    restored = join(folder, 'restored')
    await fillDataFolder(data)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
}

/** Backs up the data folder under this name. */
export function backup(name: string, options: Partial<BackupOptions> = {}) {
  return makeBackup({
    dataFolder: data,
    target: join(folder, name),
    overwrite: false,
    isNoted: true,
    version: '0.1.0',
    now: () => Date.UTC(2026, 10, 22),
    onProgress() {},
    ...options,
  })
}

/** Restores the backup with this name. */
export const restore = (name: string, dataFolder = restored) =>
  restoreBackup({ source: join(folder, name), dataFolder, onProgress() {} })
