import type { ExportJob } from './export-job.ts'

/** What a client that downloads a bundle is told about it. */
export interface BundleDownload {
  /** The name under which a browser stores the bundle. */
  fileName: string
  contentType: 'application/zip' | 'application/gzip'
}

/** Describes the download of the bundle of a job. */
export function describeDownload({ jobId, request }: Pick<ExportJob, 'jobId' | 'request'>): BundleDownload {
  const { domain, format } = request
  return {
    fileName: `${domain}-${jobId}.${format}`,
    contentType: format === 'zip' ? 'application/zip' : 'application/gzip',
  }
}
