import type { ExportJob, ExportStatus } from '../export/jobs/export-job.ts'

/** A row of the table `export_jobs`. */
export interface ExportJobRow {
  job_id: string
  organization_id: string
  domain: string
  request: string
  status: ExportStatus
  progress: number
  page_count: number
  error: string | null
  created_at: number
  updated_at: number
  lease_token: number
  interruptions: number
  faults: number
  bundle_file: string | null
  bundle_size_bytes: number | null
  bundle_sha256: string | null
  bundle_damage: string | null
  link_expires_at: number | null
  changes: string | null
}

export function toExportJob(row: ExportJobRow): ExportJob {
  return {
    jobId: row.job_id,
    organizationId: row.organization_id,
    request: JSON.parse(row.request),
    status: row.status,
    progress: row.progress,
    pageCount: row.page_count,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    bundle:
      row.bundle_file === null
        ? null
        : {
            fileName: row.bundle_file,
            sizeBytes: row.bundle_size_bytes as number,
            sha256: row.bundle_sha256 as string,
            ...(row.bundle_damage !== null && { damage: row.bundle_damage }),
          },
    ...(row.changes !== null && { changes: JSON.parse(row.changes) }),
  }
}
