import type { Awaitable } from '../../base/awaitable.ts'
import { digestJson } from '../../base/digest.ts'
import type { Deployment, Features } from '../model/features.ts'
import type { BundleFormat, Verify } from '../model/options.ts'

export type ExportStatus = 'queued' | 'running' | 'completed' | 'failed'

/** What to export and how, as a start accepted it. */
export interface ExportRequest {
  domain: string
  /** Label of the export; null when none was given. */
  version: string | null
  /** Only these pages; null = the whole site. */
  paths: string[] | null
  deployment: Deployment
  features: Features
  /** Whether a search that needs no server is packed. */
  offlineSearch: boolean
  /** How much of the bundle a browser checks; null = as the server is set. */
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
  /** A sentence a person can act on; only when failed. */
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

/** The right to work on a job until `expiresAt`; a later claim of the same job makes it void. */
export interface Lease {
  jobId: string
  owner: string
  token: number
}

export interface ClaimedJob {
  job: ExportJob
  lease: Lease
  /** How often the work was cut off without a word (a crash, a kill), this claim not counted. */
  interruptions: number
}

export type UndeletedJob = 'unknown' | 'open' | 'linked'

export interface ExportJobs {
  /**
   * Inserts the job, or finds the one that the same idempotency key and request started since `keysSince`.
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
  /** Remembers until when a link to the bundle works: that long the job stays. False when there is no such bundle (any more). */
  noteLink(jobId: string, expiresAt: number): Awaitable<boolean>
  /** Ids of the jobs that completed or failed before `endedBefore` and whose links have all expired, oldest first. */
  findEnded(endedBefore: number, now: number): Awaitable<string[]>
  /**
   * Deletes a job with its idempotency keys and gives the name of the bundle to be deleted next; null = it had none.
   * 'open' = it has not ended; 'linked' = a link to its bundle is still alive.
   */
  delete(jobId: string, now: number, despiteLink: boolean): Awaitable<{ fileName: string | null } | UndeletedJob>

  /** Takes the oldest job that is queued, or whose runner let its lease run out. */
  claim(owner: string, now: number, leaseMs: number): Awaitable<ClaimedJob | undefined>
  /** Extends the lease; false when it is void. */
  heartbeat(lease: Lease, now: number, leaseMs: number): Awaitable<boolean>
  /** Raises progress and page count, never lowers them; false when the lease is void. */
  report(lease: Lease, progress: number, pageCount: number, now: number): Awaitable<boolean>
  complete(lease: Lease, bundle: Bundle, pageCount: number, now: number): Awaitable<boolean>
  fail(lease: Lease, error: string, now: number): Awaitable<boolean>
  /** Gives the job back, to be claimed at once by anybody; it stays running. */
  release(lease: Lease): Awaitable<boolean>
}

/** Identifies a request whatever the order of its fields: equal requests have equal digests. */
export function digestRequest(request: ExportRequest): string {
  return digestJson(request)
}
