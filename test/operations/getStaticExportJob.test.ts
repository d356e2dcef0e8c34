import { expect, test } from 'vitest'
import type { BundleCondition } from '../../server/export/jobs/bundle-store.ts'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { getStaticExportJob } from '../../server/operations/getStaticExportJob.ts'
import { queuedJob } from '../support/export-job.ts'

type Args = Parameters<typeof getStaticExportJob>

function exportJob(fields: Partial<ExportJob> = {}): ExportJob {
  const usual = { jobId: 'se_1', organizationId: 'org_1', createdAt: Date.UTC(2026, 10, 20, 9, 30) }
  return { ...queuedJob(usual), ...fields }
}

function answer(job: ExportJob, { organizationId = 'org_1', jobId = job.jobId, condition = 'sound' } = {}) {
  const deps = {
    exportJobs: {
      findOwned: (organization: string, id: string) =>
        organization === job.organizationId && id === job.jobId ? job : undefined,
    },
    bundles: { place: 'on the disk of the server', check: () => condition as BundleCondition },
  } as unknown as Args[1]
  return getStaticExportJob({ params: { jobId } } as Args[0], deps, { organizationId } as Args[2])
}

test('a running job is answered with the documented fields only, and its times in RFC 3339', async () => {
  const job = exportJob({ status: 'running', progress: 40, pageCount: 12, updatedAt: Date.UTC(2026, 10, 20, 9, 31) })
  expect(await answer(job)).toEqual({
    status: 200,
    body: {
      jobId: 'se_1',
      status: 'running',
      progress: 40,
      pageCount: 12,
      createdAt: '2026-11-20T09:30:00.000Z',
      updatedAt: '2026-11-20T09:31:00.000Z',
      error: null,
    },
  })
})

test('a failed job says why', async () => {
  const error = 'The site did not answer. Start the site, then export again.'
  expect(await answer(exportJob({ status: 'failed', error }))).toMatchObject({ body: { status: 'failed', error } })
})

test.each([
  ['sound', null],
  ['missing', /is missing/],
  ['damaged', /damaged/],
])('a completed job whose bundle is %s stays completed, and its error is %s', async (condition, error) => {
  const job = exportJob({ status: 'completed', bundle: { fileName: 'se_1.zip', sizeBytes: 7, sha256: 'a'.repeat(64) } })
  const { status, body } = await answer(job, { condition })
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'completed' } })
  const given = 'error' in body ? body.error : undefined
  if (error === null) expect(given).toBeNull()
  else expect(given).toMatch(error)
})

test.each([
  ['an unknown job', { jobId: 'se_9' }],
  ['a job of another organization', { organizationId: 'org_2' }],
])('%s is answered with 404', async (_, asked) => {
  expect(await answer(exportJob(), asked)).toEqual({
    status: 404,
    body: { error: 'This organization has no export job with the id in the path.', code: 'unknown_export_job' },
  })
})
