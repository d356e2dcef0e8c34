import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Awaitable } from '../base/awaitable.ts'
import type { BundleCondition } from '../export/jobs/bundle-store.ts'
import type { Bundle } from '../export/jobs/export-job.ts'

/** Called when a bundle turns out to be missing or damaged, once until its condition changes. */
export type ReportBundle = (details: Record<string, unknown>, message: string) => void

/** Stores which damaged file is in place of a bundle; null = the bundle is sound. */
export type NoteDamage = (fileName: string, damage: string | null) => Awaitable<void>

/** An archive that was found. */
export interface FoundArchive {
  sizeBytes: number
  /** Changes when the archive is replaced or written. */
  identity: string
  /** Also changes when a backup is put in its place with the old time. Other processes compare it. */
  lastingIdentity: string
  /** The checksum that the storage keeps with the archive; undefined = the bytes are read. */
  sha256?: string | undefined
}

/** Where a check finds archives. A folder names them by their paths. */
export interface Archives {
  /** Returns undefined if there is no such archive. */
  find(name: string): Promise<FoundArchive | undefined>
  read(name: string): Promise<Readable>
}

interface Verdict {
  /** The archive that was read. */
  identity: string
  isSound: Promise<boolean>
}

/**
 * Compares archives with their records. The bytes of each archive are read once; an archive that was replaced or written since is
 * read again.
 */
export function createBundleCheck(archives: Archives, report: ReportBundle, noteDamage: NoteDamage = () => {}) {
  const verdicts = new Map<string, Verdict>()
  const faults = new Map<string, string>()

  function conclude(file: string, bundle: Bundle, found: FoundArchive | undefined, isSound: boolean): BundleCondition {
    if (isSound) {
      faults.delete(file)
      return 'sound'
    }
    const condition = found ? 'damaged' : 'missing'
    const finding = `${condition} ${found?.identity ?? ''}`
    if (faults.get(file) !== finding) {
      faults.set(file, finding)
      const details = { file, ...bundle, foundBytes: found?.sizeBytes ?? 0 }
      report(details, `the bundle of an export is ${condition}; restore it from a backup, or start the export again`)
    }
    return condition
  }

  async function hasDigest(file: string, found: FoundArchive, sha256: string): Promise<boolean> {
    return (found.sha256 ?? (await digestStream(await archives.read(file)))) === sha256
  }

  return {
    /** Compares the size, and the checksum of the storage or the bytes if this or another process read them before. */
    async check(file: string, bundle: Bundle): Promise<BundleCondition> {
      const found = await archives.find(file)
      const known = verdicts.get(file)
      if (found?.sizeBytes !== bundle.sizeBytes) return conclude(file, bundle, found, false)
      if (found.sha256 !== undefined) return conclude(file, bundle, found, found.sha256 === bundle.sha256)
      if (known?.identity !== found.identity) {
        return conclude(file, bundle, found, bundle.damage === undefined || bundle.damage !== found.lastingIdentity)
      }
      return conclude(file, bundle, found, await known.isSound)
    },
    /** Compares the size and the bytes. */
    async verify(file: string, bundle: Bundle): Promise<BundleCondition> {
      const found = await archives.find(file)
      if (found?.sizeBytes !== bundle.sizeBytes) return conclude(file, bundle, found, false)
      const { identity } = found
      let verdict = verdicts.get(file)
      if (verdict?.identity !== identity) {
        verdict = { identity, isSound: hasDigest(file, found, bundle.sha256) }
        verdicts.set(file, verdict)
        // What cannot be read now may be readable later.
        verdict.isSound.catch(() => verdicts.delete(file))
      }
      const isSound = await verdict.isSound
      await store(noteDamage, bundle, isSound ? undefined : found.lastingIdentity)
      return conclude(file, bundle, found, isSound)
    },
    /** Forgets an archive that was removed. */
    forget(file: string): void {
      verdicts.delete(file)
      faults.delete(file)
    },
  }
}

/** The archives on a disk, by their paths. */
export const fileArchives: Archives = {
  async find(file) {
    const stats = await findFile(file)
    return stats && { sizeBytes: stats.size, identity: identify(stats), lastingIdentity: identifyDamage(stats) }
  },
  read: async file => createReadStream(file, { highWaterMark: 1024 ** 2 }),
}

/** Stores what the bytes showed, if it is news. Without it, other processes do not know of the damage. */
async function store(note: NoteDamage, { fileName, damage }: Bundle, now: string | undefined): Promise<void> {
  if (now === damage) return
  try {
    await note(fileName, now ?? null)
  } catch {
    // The database is locked or full. The answer about the bundle stays true.
  }
}

/** Returns undefined if there is no such file. */
async function findFile(file: string): Promise<Stats | undefined> {
  try {
    const stats = await stat(file)
    return stats.isFile() ? stats : undefined
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined
    throw error
  }
}

/** Changes when a file is replaced or written. */
function identify({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${mtimeMs}`
}

/** Also changes when a backup is copied over the file with its old time. */
function identifyDamage(stats: Stats): string {
  return `${identify(stats)} ${stats.ctimeMs}`
}

/** Whether a file is the damaged one that was found in place of a bundle before. */
export function isKnownDamage({ damage }: Pick<Bundle, 'damage'>, found: Stats): boolean {
  return damage !== undefined && damage === identifyDamage(found)
}

async function digestStream(bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(bytes, hash)
  return hash.digest('hex')
}
