import { ArchiveError } from './archive-error.ts'

/** Limits of one archive. An archive that exceeds one is refused. */
export interface UnpackLimits {
  /** Files and folders. */
  entries: number
  /** Bytes of all files together. */
  totalBytes: number
  /** Max unpacked bytes for each byte of the archive, from `ratioFromBytes` on. */
  ratio: number
}

/** A small archive may compress well: the ratio counts only from this unpacked size on. */
const ratioFromBytes = 16 * 1024 ** 2

/** For archives of others. */
export const defaultUnpackLimits: UnpackLimits = { entries: 500_000, totalBytes: 64 * 1024 ** 3, ratio: 200 }

/** For an archive that this process has just made. */
export const noUnpackLimits: UnpackLimits = {
  entries: Number.POSITIVE_INFINITY,
  totalBytes: Number.POSITIVE_INFINITY,
  ratio: Number.POSITIVE_INFINITY,
}

/** Counts what is unpacked. Each method throws an ArchiveError at the first byte or entry over a limit. */
export interface UnpackMeter {
  addEntry(): void
  addBytes(count: number): void
}

export function createMeter(limits: UnpackLimits, archiveBytes: number): UnpackMeter {
  let entries = 0
  let bytes = 0
  return {
    addEntry() {
      entries += 1
      if (entries > limits.entries) throw tooManyEntries(limits)
    },
    addBytes(count) {
      bytes += count
      if (bytes > limits.totalBytes)
        throw new ArchiveError(`The archive unpacks to more than ${Math.floor(limits.totalBytes / 1024 ** 2)} MB.`)
      if (bytes > ratioFromBytes && bytes > archiveBytes * limits.ratio)
        throw new ArchiveError(`The archive unpacks to more than ${limits.ratio} times its size.`)
    },
  }
}

export function tooManyEntries({ entries }: UnpackLimits): ArchiveError {
  return new ArchiveError(`The archive has more than ${entries} entries.`)
}
