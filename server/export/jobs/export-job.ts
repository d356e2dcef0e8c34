import type { Awaitable } from '../../base/awaitable.ts'
import { digestJson } from '../../base/digest.ts'
import type { Deployment, Features } from '../../products/features.ts'
import type { BundleFormat, Verify } from '../model/options.ts'

export type ExportStatus = 'queued' | 'running' | 'completed' | 'failed'

/** What to export and how, as accepted from the caller. */
export interface ExportRequest {
  domain: string
  /** Label of the export; null = none. */
  version: string | null
  /** Only these pages; null = the whole site. */
  paths: string[] | null
  deployment: Deployment
  features: Features
  /** Whether a search that needs no server is packed. */
  offlineSearch: boolean
  /** How much of the bundle a browser checks; null = the server's setting. */
  verify: Verify | null
  format: BundleFormat
}

export interface ExportJob {
  jobId: string
  organizationId: string
  request: ExportRequest
  status: ExportStatus
  /** Percent, 0..100; never falls. */
  progress: number
  /** Pages exported so far; never falls. */
  pageCount: number
  /** A sentence that tells a person what to do; only when failed. */
  error: string | null
  createdAt: number
  updatedAt: number
  /** The archive; only when completed. */
  bundle: Bundle | null
}

/** The archive of a completed export. */
export interface Bundle {
  fileName: string
  sizeBytes: number
  sha256: string
}

/** The right to work on a job. It is void once it has expired and the job was claimed again. */
export interface Lease {
  jobId: string
  owner: string
  token: number
}

export interface ClaimedJob {
  job: ExportJob
  lease: Lease
  /** How often the work was interrupted by a crash or a kill before this claim. */
  interruptions: number
}

export type UndeletedJob = 'unknown' | 'open' | 'linked'

export interface ExportJobs {
  /**
   * Inserts the job, or finds the job that was started with the same idempotency key and request since `keysSince`.
   * 'conflict' = the key was used with another request.
   */
  start(
    job: ExportJob,
    idempotencyKey: string | undefined,
    keysSince: number,
  ): Awaitable<{ job: ExportJob } | 'conflict'>
  findOwned(organizationId: string, jobId: string): Awaitable<ExportJob | undefined>
  find(jobId: string): Awaitable<ExportJob | undefined>

  /** Newest first. */
  list(filter: { organizationId?: string | undefined }): Awaitable<ExportJob[]>
  /** Stores until when a link to the bundle works; retention keeps the job until then. False when there is no such bundle. */
  noteLink(jobId: string, expiresAt: number): Awaitable<boolean>
  /** Ids of the jobs that completed or failed before `endedBefore` and whose links have all expired, oldest first. */
  findEnded(endedBefore: number, now: number): Awaitable<string[]>
  /**
   * Deletes a job with its idempotency keys, and returns the name of the bundle to delete next; null = none. 'open' = the job
   * has not ended; 'linked' = a link to its bundle still works.
   */
  delete(jobId: string, now: number, despiteLink: boolean): Awaitable<{ fileName: string | null } | UndeletedJob>

  /** Claims the oldest job that is queued or whose lease has expired. */
  claim(owner: string, now: number, leaseMs: number): Awaitable<ClaimedJob | undefined>
  /** Extends the lease; false when it is void. */
  heartbeat(lease: Lease, now: number, leaseMs: number): Awaitable<boolean>
  /** Raises progress and page count, never lowers them; false when the lease is void. */
  report(lease: Lease, progress: number, pageCount: number, now: number): Awaitable<boolean>
  complete(lease: Lease, bundle: Bundle, pageCount: number, now: number): Awaitable<boolean>
  fail(lease: Lease, error: string, now: number): Awaitable<boolean>
  /** Gives the lease back, so that any runner can claim the job at once; the job stays running. */
  release(lease: Lease): Awaitable<boolean>
}

/** Digest of a request; the order of its fields does not matter. */
export function digestRequest(request: ExportRequest): string {
  return digestJson(request)
}
