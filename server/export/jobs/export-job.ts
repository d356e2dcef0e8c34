import type { Awaitable } from '../../base/awaitable.ts'
import type { Deployment, Features } from '../../products/features.ts'
import type { AuditEvent } from '../../tenancy/audit-event.ts'
import type { BundleFormat, Verify } from '../model/options.ts'

/** How long an idempotency key is valid. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000

export type ExportStatus = 'queued' | 'running' | 'completed' | 'failed'

/** Content and settings of an export, as accepted from the caller. */
export interface ExportRequest {
  domain: string
  /** Label of the export; null = none. */
  version: string | null
  /** Exports only these pages; null = the whole site. */
  paths: string[] | null
  deployment: Deployment
  features: Features
  /** Whether to pack a search that needs no server. */
  offlineSearch: boolean
  /** How much of the bundle a browser checks; null = the server's setting. */
  verify: Verify | null
  format: BundleFormat
}

/** The error of a job that somebody cancelled. */
export function cancelledBy(name: string): string {
  return `Cancelled by ${name}. Start it again if you need it.`
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
  /** A sentence that says what to do; set only when the job failed. */
  error: string | null
  createdAt: number
  updatedAt: number
  /** The archive; set only when the job is completed. */
  bundle: Bundle | null
  /** Absent = it is unknown: the job is not completed, or nothing could be compared. */
  changes?: PageChanges
}

/** How many pages an export added, removed, moved and changed, by their texts, since the completed one of the same pages before it. */
export type PageChanges = Record<'added' | 'removed' | 'moved' | 'changed', number>

/** An export job without its request, which can have many paths. */
export interface ExportSummary extends Pick<ExportJob, 'jobId' | 'status' | 'pageCount' | 'createdAt'> {
  domain: string
}

/** The archive of a completed export. */
export interface Bundle {
  fileName: string
  sizeBytes: number
  sha256: string
  /** The damaged file that was found in place of the archive, see `ExportJobs.noteDamage`; undefined = none. */
  damage?: string
}

/** The right to work on a job. A lease is void when it has expired and the job was claimed again. */
export interface Lease {
  jobId: string
  owner: string
  token: number
}

export interface ClaimedJob {
  job: ExportJob
  lease: Lease
  /** Number of times that the server was killed, or crashed, while the job was running. */
  interruptions: number
  /** Number of times that the process of the export crashed or stalled, while the server went on. */
  faults: number
}

/** Limits of a claim. */
export interface ClaimLimits {
  /** How many exports of one organization the claiming process may work on at once. */
  maxPerOrganization: number
  /** Jobs that the claiming process works on, or leaves to others. They are not claimed, even if their leases look expired. */
  heldJobs: readonly string[]
  /** Whether jobs with an expired lease are claimed too. */
  takesOver: boolean
}

export type UndeletedJob = 'unknown' | 'open' | 'linked'

export interface ExportJobs {
  /**
   * Inserts the job, or finds the job that was started with the same idempotency key and request since `keysSince`: then
   * `isReplayed` is true. Returns 'conflict' when the key was used with another request, and the number of the organization's
   * queued jobs when it has `maxQueued` (default: no limit).
   *
   * @param event is appended to the audit log if the job is inserted.
   */
  start(
    job: ExportJob,
    idempotencyKey: string | undefined,
    keysSince: number,
    maxQueued?: number,
    event?: Omit<AuditEvent, 'id'>,
  ): Awaitable<{ job: ExportJob; isReplayed: boolean } | 'conflict' | { queued: number }>
  /** Deletes the idempotency keys that were stored before `createdBefore`. */
  deleteOldKeys(createdBefore: number): Awaitable<void>
  findOwned(organizationId: string, jobId: string): Awaitable<ExportJob | undefined>
  find(jobId: string): Awaitable<ExportJob | undefined>

  /** Returns jobs, newest first, at most `limit` (default: all). */
  list(filter: { organizationId?: string | undefined; limit?: number }): Awaitable<ExportJob[]>
  /** Returns at most `limit` jobs of an organization, newest first, after a row of the list. */
  listPage(
    organizationId: string,
    page: {
      domain?: string | undefined
      status?: ExportStatus | undefined
      after?: { createdAt: number; id: string } | undefined
      limit: number
    },
  ): Awaitable<ExportJob[]>
  /** Returns the newest completed job of a site with the same `paths`, in the same order; null = of the whole site. */
  findLastCompleted(
    organizationId: string,
    request: Pick<ExportRequest, 'domain' | 'paths'>,
  ): Awaitable<ExportJob | undefined>
  /** Returns all jobs of an organization, or those of one domain, in the order of `list`. */
  listSummaries(organizationId: string, domain?: string): Awaitable<ExportSummary[]>
  /** Counts the queued jobs of the organization that are older than a queued one. */
  countAhead(job: Pick<ExportJob, 'organizationId' | 'jobId' | 'createdAt'>): Awaitable<number>
  /** Counts the jobs of an organization that have not ended; null = of all. */
  countOpen(organizationId: string | null): Awaitable<Record<'queued' | 'running', number>>
  /** Returns when the job was made that waits longest; undefined = none waits. */
  findOldestQueued(): Awaitable<number | undefined>
  /**
   * Stores the expiry of a link to the bundle. Retention keeps the job until then. Returns false when there is no such
   * bundle.
   *
   * @param event is appended to the audit log if there is such a bundle.
   */
  noteLink(jobId: string, expiresAt: number, event?: Omit<AuditEvent, 'id'>): Awaitable<boolean>
  /**
   * Stores which damaged file was found in place of a bundle, so that every process knows; null = the bundle is sound.
   *
   * @param damage identifies the file, so that a restored file is not taken for it.
   */
  noteDamage(fileName: string, damage: string | null): Awaitable<void>
  /** Returns when the last of all links expires; undefined when none works any more. */
  findLastLinkExpiry(now: number): Awaitable<number | undefined>
  /** Counts the jobs with a link that works. */
  countLinked(now: number): Awaitable<number>
  /** Forgets all links, because none works any more. Returns the number of jobs that had one. */
  forgetLinks(now: number): Awaitable<number>
  /**
   * Returns the ids of jobs that completed or failed before `endedBefore` and whose links have all expired, oldest first.
   */
  findEnded(endedBefore: number, now: number): Awaitable<string[]>
  /**
   * Deletes a job with its idempotency keys. Returns the name of the bundle to delete next; null = none. 'open' = the job
   * has not ended; 'linked' = a link to its bundle still works.
   */
  delete(jobId: string, now: number, despiteLink: boolean): Awaitable<{ fileName: string | null } | UndeletedJob>

  /**
   * Claims a job that is queued or whose lease has expired. Interrupted jobs come first. Then organizations take turns, and
   * each gets its oldest job. Without `limits`, every job may be claimed.
   */
  claim(owner: string, now: number, leaseMs: number, limits?: ClaimLimits): Awaitable<ClaimedJob | undefined>
  /** Extends the lease; returns false when the lease is void. */
  heartbeat(lease: Lease, now: number, leaseMs: number): Awaitable<boolean>
  /** Raises progress and page count and never lowers them; returns false when the lease is void. */
  report(lease: Lease, progress: number, pageCount: number, now: number): Awaitable<boolean>
  /** @param changes null = unknown */
  complete(
    lease: Lease,
    bundle: Bundle,
    pageCount: number,
    now: number,
    changes?: PageChanges | null,
  ): Awaitable<boolean>
  fail(lease: Lease, error: string, now: number): Awaitable<boolean>
  /**
   * Ends a job that is queued or running: it becomes failed with this error. Its runner notices that its lease is void. Returns false if
   * there is no such job.
   */
  cancel(jobId: string, error: string, now: number): Awaitable<boolean>
  /**
   * Releases the lease, so that any runner can claim the job at once. The job stays running.
   *
   * @param isFault whether the job itself ended the work, see `ClaimedJob.faults`
   */
  release(lease: Lease, isFault?: boolean): Awaitable<boolean>
}
