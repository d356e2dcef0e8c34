import type { ExportJob, ExportRequest } from '../../server/export/jobs/export-job.ts'

/** Makes a queued job of `docs.example.com` with the usual settings. */
export function queuedJob(
  fields: Pick<ExportJob, 'jobId' | 'organizationId' | 'createdAt'> & { request?: Partial<ExportRequest> },
): ExportJob {
  const { request, ...named } = fields
  return {
    ...named,
    request: {
      domain: 'docs.example.com',
      version: null,
      paths: null,
      deployment: 'air-gapped',
      features: { search: false, assistant: false, analytics: false, playground: false },
      offlineSearch: false,
      verify: null,
      format: 'zip',
      ...request,
    },
    status: 'queued',
    progress: 0,
    pageCount: 0,
    error: null,
    updatedAt: fields.createdAt,
    bundle: null,
  }
}
