import type { components } from '../../generated/openapi.ts'
import type { ExportJob } from '../export/jobs/export-job.ts'

/** Converts a job to the response body of the operations that return one. */
export function toExportJobBody(job: ExportJob): components['schemas']['ExportJob'] {
  return {
    jobId: job.jobId,
    status: job.status,
    progress: job.progress,
    pageCount: job.pageCount,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    error: job.error,
  }
}
