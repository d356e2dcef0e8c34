import type { Readable } from 'node:stream'
import type { Awaitable } from '../../base/awaitable.ts'
import type { BundleDownload } from './bundle-download.ts'
import type { Bundle } from './export-job.ts'

/** Whether the archive of a bundle can be served. 'damaged' = its bytes are not those that were recorded. */
export type BundleCondition = 'sound' | 'missing' | 'damaged'

/** A part of an archive, by its first and last byte. The first byte of an archive has the number 0. */
export interface ByteSpan {
  first: number
  last: number
}

/** Where a store keeps archives, as messages say it. */
export type BundlePlace = 'on the disk of the server' | 'in the storage of the server'

/** Stores finished archives. */
export interface BundleStore {
  readonly place: BundlePlace
  /**
   * Puts a finished archive into the store atomically; a folder takes the file itself. When it returns, a power cut does not
   * lose the archive. An archive that has this name already, written before a backup was restored, is kept as lost.
   *
   * @param signal ends a long upload.
   */
  publish(
    file: string,
    bundle: Pick<Bundle, 'fileName' | 'sizeBytes' | 'sha256'>,
    signal?: AbortSignal,
  ): Awaitable<void>
  /** Compares the size of the archive with the record. Reports damage that `verify` found before, also in another process. */
  check(bundle: Bundle): Awaitable<BundleCondition>
  /**
   * Compares the bytes of the archive with the record, or the checksum that the storage keeps with it: once per process and
   * archive, afterwards like `check`.
   */
  verify(bundle: Bundle): Awaitable<BundleCondition>
  /**
   * Opens an archive, or a part of it that is inside. The caller reads or destroys the stream. Rejects when the archive is
   * missing.
   */
  open(fileName: string, span?: ByteSpan): Promise<Readable>
  /**
   * Signs a link that leads to the storage itself and ends after `ttlSeconds`, or earlier with temporary credentials of the
   * server. Its answers have the name and the type of the download. Absent = there are no such links to a folder.
   */
  presign?(
    fileName: string,
    download: BundleDownload,
    span: { from: number; ttlSeconds: number },
  ): Promise<{ url: string; expiresAt: number }>
  /** Calls `use` with the path of a file that has the bytes of an archive. The file may be deleted afterwards. */
  withFile<T>(fileName: string, use: (file: string) => Promise<T>): Promise<T>
  /** Removes an archive; does nothing when the archive is missing. Readers that have it open can read it to the end. */
  remove(fileName: string): Awaitable<void>
  /** Lists the archives that may be set aside. */
  list(): Awaitable<string[]>
  /** Moves an archive to the lost folder and returns its name there. */
  setAside(fileName: string): Awaitable<string>
  /**
   * Moves an archive back from the lost folder. Returns false and does nothing if it is damaged, or if the bundle is sound
   * without it.
   */
  recover(lostName: string, bundle: Bundle): Awaitable<boolean>
  /**
   * Records that an archive is about to be removed, before its job is deleted. `removeAbandoned` removes it if nobody else does:
   * after that, nothing else knows of it. Absent = the archives are listed and set aside.
   */
  announceRemoval?(fileName: string): Awaitable<void>
  /**
   * Removes what has been left since before a time: uploads that were never finished, archives whose removal was announced, and
   * archives of jobs that ended with another one. Returns their number. Absent = nothing is left.
   */
  removeAbandoned?(leftBefore: number, judge: JudgeBundle): Awaitable<number>
}

/**
 * Says what the database knows of an archive: it is needed; its job ended with another archive, or without one; or it does not
 * know the job.
 */
export type JudgeBundle = (fileName: string) => Promise<'needed' | 'superseded' | 'unknown'>

/** Returns the sentence that tells a client of the API what happened to a bundle; null = it is sound. */
export function explainCondition(condition: BundleCondition, { place }: Pick<BundleStore, 'place'>): string | null {
  if (condition === 'sound') return null
  return `The bundle of this export is ${condition} ${place}. Start another export, or ask the operator of the server to restore the bundle from a backup.`
}
