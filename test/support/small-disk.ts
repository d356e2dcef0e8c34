import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of a few megabytes, in memory. */
export interface SmallDisk {
  folder: string
  /** Writes a file until there is no room left. */
  fill(): void
  /** Deletes that file. */
  free(): Promise<void>
  unmount(): void
}

/** Mounts a disk in a new folder. Returns null where this user may not mount, such as in most containers. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'quire-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (status !== 0) {
    rmSync(folder, { recursive: true })
    return null
  }
  const filling = join(folder, 'filling')
  return {
    folder,
    fill() {
      const file = openSync(filling, 'a')
      for (let size = 1024 ** 2; size > 0; ) {
        try {
          writeSync(file, Buffer.alloc(size))
        } catch {
          size = Math.floor(size / 2)
        }
      }
      closeSync(file)
    },
    free: () => rm(filling, { force: true }),
    unmount() {
      spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether disks can be mounted here. */
export function canMount(): boolean {
  const disk = mountSmallDisk(1)
  disk?.unmount()
  return disk !== null
}
