import { ExportError } from './export-error.ts'

/** Limits of one export. A page or file over its limit is left out and reported. An export that exceeds a total fails. */
export interface ExportLimits {
  /** Pages in the bundle; links to further pages are left out and reported. */
  pages: number
  /** Links followed, including soft 404s, redirects and dead links; further links are left out and reported. */
  links: number
  /** Files in the bundle that are not pages. */
  files: number
  /** Percent of the pages that may fail, 0..100; if more fail, the export fails. */
  failedPercent: number
  /** Bytes of everything fetched, decompressed. */
  totalBytes: number
  /** Bytes of one file, decompressed. */
  fileBytes: number
  /** Bytes of one page or style sheet, decompressed. The whole text is in memory while it is read. */
  pageBytes: number
  /** Redirects followed for one request. */
  redirects: number
  /** Time for one request, and for one page in the browser. */
  pageTimeoutMs: number
  /** How often one request is repeated when the server fails or does not answer. */
  retries: number
  /** Requests that one page may make in the browser; further requests are refused and reported. */
  pageRequests: number
  /** Time for the whole export. */
  jobTimeoutMs: number
  /** Parallel requests to one host, at most. How many there are depends on the host; see `AdaptiveLimit`. */
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
  // As many as browsers follow.
  redirects: 20,
  pageTimeoutMs: 30_000,
  retries: 4,
  pageRequests: 1000,
  jobTimeoutMs: 3_600_000,
  connections: 64,
}

/** Limits of the process of an export, together with `ExportLimits.jobTimeoutMs`. It is killed when it exceeds one. */
export interface ProcessLimits {
  /** Memory of the process and its browser. Known on Linux only. */
  memoryBytes: number
  /** How long the process may give no sign of life. */
  stallMs: number
}

export const defaultProcessLimits: ProcessLimits = { memoryBytes: 2048 * 1024 ** 2, stallMs: 60_000 }

/** Returns the error for an export that exceeds `totalBytes`. */
export function totalExceeded(limits: ExportLimits): ExportError {
  const limitMb = Math.round(limits.totalBytes / 1024 ** 2)
  return new ExportError(
    `The site is larger than the limit of ${limitMb} MB for one export; raise the limit or export fewer paths.`,
    'too_large',
  )
}

/** Returns the error for an export that exceeds `jobTimeoutMs`. */
export function timeExceeded({ jobTimeoutMs }: ExportLimits): ExportError {
  const seconds = Math.round(jobTimeoutMs / 1000)
  const limit = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
  const message = `The export took longer than its limit of ${limit}; raise the limit or export fewer paths.`
  return new ExportError(message, 'timeout')
}
