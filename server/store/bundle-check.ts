import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Awaitable } from '../base/awaitable.ts'
import type { BundleCondition } from '../export/jobs/bundle-store.ts'
import type { Bundle } from '../export/jobs/export-job.ts'

/** Called when a bundle turns out to be missing or damaged, once until its condition changes. */
export type ReportBundle = (details: Record<string, unknown>, message: string) => void

/** Stores which damaged file is in place of a bundle; null = the bundle is sound. */
export type NoteDamage = (fileName: string, damage: string | null) => Awaitable<void>

interface Verdict {
  /** The file that was read, see `identify`. */
  identity: string
  isSound: Promise<boolean>
}

/**
 * Compares archives with their records. The bytes of each file are read once; a file that was replaced or written since is
 * read again.
 */
export function createBundleCheck(report: ReportBundle, noteDamage: NoteDamage = () => {}) {
  const verdicts = new Map<string, Verdict>()
  const faults = new Map<string, string>()

  function conclude(file: string, bundle: Bundle, found: Stats | undefined, isSound: boolean): BundleCondition {
    if (isSound) {
      faults.delete(file)
      return 'sound'
    }
    const condition = found ? 'damaged' : 'missing'
    const { size = 0 } = found ?? {}
    const finding = `${condition} ${found ? identify(found) : ''}`
    if (faults.get(file) !== finding) {
      faults.set(file, finding)
      const details = { file, ...bundle, foundBytes: size }
      report(details, `the bundle of an export is ${condition}; restore it from a backup, or start the export again`)
    }
    return condition
  }

  return {
    /** Compares the size, and the bytes if this or another process read them before. */
    async check(file: string, bundle: Bundle): Promise<BundleCondition> {
      const found = await findFile(file)
      const known = verdicts.get(file)
      const isSound = found?.size === bundle.sizeBytes
      if (!isSound) return conclude(file, bundle, found, false)
      if (known?.identity !== identify(found)) return conclude(file, bundle, found, !isKnownDamage(bundle, found))
      return conclude(file, bundle, found, await known.isSound)
    },
    /** Compares the size and the bytes. */
    async verify(file: string, bundle: Bundle): Promise<BundleCondition> {
      const found = await findFile(file)
      if (found?.size !== bundle.sizeBytes) return conclude(file, bundle, found, false)
      const identity = identify(found)
      let verdict = verdicts.get(file)
      if (verdict?.identity !== identity) {
        verdict = { identity, isSound: digestFile(file).then(sha256 => sha256 === bundle.sha256) }
        verdicts.set(file, verdict)
        // A disk that cannot be read now may be readable later.
        verdict.isSound.catch(() => verdicts.delete(file))
      }
      const isSound = await verdict.isSound
      await store(noteDamage, bundle, isSound ? undefined : identifyDamage(found))
      return conclude(file, bundle, found, isSound)
    },
    /** Forgets a file that was removed. */
    forget(file: string): void {
      verdicts.delete(file)
      faults.delete(file)
    },
  }
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

async function digestFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1024 ** 2 }), hash)
  return hash.digest('hex')
}
