import { ExportError } from './export-error.ts'

/** What one export may use at most. A page or file past its own limit is left out and reported; a total ends the export. */
export interface ExportLimits {
  /** Pages in the bundle; links past it are left out and reported. */
  pages: number
  /** Links asked for, whatever they lead to: soft 404s, redirects and dead links too; the rest is left out and reported. */
  links: number
  /** Files in the bundle that are not pages. */
  files: number
  /** Percent of the pages that the origin may fail to answer, 0..100; when more fail, the bundle counts as useless. */
  failedPercent: number
  /** Bytes of everything fetched, decompressed. */
  totalBytes: number
  /** Bytes of one file, decompressed. */
  fileBytes: number
  /** Bytes of one page or style sheet, decompressed; these are held in memory while they are read. */
  pageBytes: number
  /** Redirects followed for one request. */
  redirects: number
  /** Time for one request, and for one page in the browser. */
  pageTimeoutMs: number
  /** Requests that one page may make in the browser; what it asks for beyond is refused and noted. */
  pageRequests: number
  /** Time for the whole export. */
  jobTimeoutMs: number
  /** Requests under way at once. */
  connections: number
}

export const defaultLimits: ExportLimits = {
  pages: 20_000,
  links: 200_000,
  files: 100_000,
  failedPercent: 10,
  totalBytes: 4 * 1024 ** 3,
  fileBytes: 256 * 1024 ** 2,
  pageBytes: 24 * 1024 ** 2,
  redirects: 10,
  pageTimeoutMs: 30_000,
  pageRequests: 1000,
  jobTimeoutMs: 3_600_000,
  connections: 8,
}

/** What ends an export whose fetched bytes, all taken together, are more than it may hold. */
export function totalExceeded(limits: ExportLimits): ExportError {
  const limitMb = Math.round(limits.totalBytes / 1024 ** 2)
  return new ExportError(
    `The site is larger than the limit of ${limitMb} MB for one export; raise the limit or export fewer paths.`,
    'too_large',
  )
}
