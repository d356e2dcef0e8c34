import type { components } from '../../../generated/extensions/openapi.ts'
import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { ExportJob } from '../../export/jobs/export-job.ts'
import type { Client } from '../client.ts'
import { readCursor, toPage, wrongCursor } from './cursor.ts'
import type { ExtensionDeps } from './deps.ts'

export async function listExports(
  { query }: Input<'listExports'>,
  { exportJobs }: Pick<ExtensionDeps, 'exportJobs'>,
  { organizationId }: Client,
): Promise<Output<'listExports'>> {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
  if (query.cursor !== undefined && !after) return { status: 400, body: wrongCursor }
  const { domain, status, limit } = query
  const page = { domain: domain?.toLowerCase(), status, after, limit: limit + 1 }
  const found = await exportJobs.listPage(organizationId, page)
  const { rows, nextCursor } = toPage(found, limit, ({ createdAt, jobId }) => ({ createdAt, id: jobId }))
  return { status: 200, body: { exports: rows.map(toListedExport), nextCursor } }
}

export function toListedExport(job: ExportJob): components['schemas']['ListedExport'] {
  return {
    jobId: job.jobId,
    domain: job.request.domain,
    version: job.request.version,
    status: job.status,
    progress: job.progress,
    pageCount: job.pageCount,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    error: job.error,
    sizeBytes: job.bundle?.sizeBytes ?? null,
    changes: job.changes ?? null,
  }
}
