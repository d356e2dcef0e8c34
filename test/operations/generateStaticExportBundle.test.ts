import { expect, test } from 'vitest'
import type { BundleCondition } from '../../server/export/jobs/bundle-store.ts'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { generateStaticExportBundle } from '../../server/operations/generateStaticExportBundle.ts'
import { queuedJob } from '../support/export-job.ts'

const now = Date.UTC(2026, 10, 21)
const expiresAt = now + 900_000
const bundle = { fileName: 'se_1-4.zip', sizeBytes: 7, sha256: 'a'.repeat(64) }
const completed = exportJob({ status: 'completed', bundle })

type Args = Parameters<typeof generateStaticExportBundle>
interface Case {
  organizationId?: string
  condition?: BundleCondition
  /** The job is deleted before its link is stored. */
  isDeleted?: boolean
  presigned?: string
  signingKeyId?: string
}

function exportJob(fields: Partial<ExportJob> = {}): ExportJob {
  const usual = { jobId: 'se_1', organizationId: 'org_1', createdAt: Date.UTC(2026, 10, 20, 9, 30) }
  return { ...queuedJob(usual), ...fields }
}

async function answer(job: ExportJob, { organizationId = 'org_1', condition = 'sound', ...more }: Case = {}) {
  const noted: unknown[] = []
  const deps = {
    exportJobs: {
      findOwned: (organization: string, id: string) =>
        organization === job.organizationId && id === job.jobId ? job : undefined,
      noteLink: (...args: unknown[]) => {
        noted.push(args)
        return !more.isDeleted
      },
    },
    bundles: { place: 'on the disk of the server', check: () => condition },
    bundleLinks: {
      expiresAt: () => expiresAt,
      // The key may be replaced until the link is noted: see `rotateLinkKey`.
      create: (id: string, name: string) => `/bundles/${id}/${name}?signature=${noted.length ? 'x' : 'too early'}`,
    },
    ...(more.presigned !== undefined && { presignLink: () => ({ url: more.presigned, expiresAt: expiresAt - 1 }) }),
    sites: { findOwned: () => ({ signingKeyId: more.signingKeyId ?? null }) },
    now: () => now,
  } as unknown as Args[1]
  const client = {
    organizationId,
    actor: 'key ci (abcd)',
    ipAddress: '10.0.0.1',
    address: { url: 'https://api.example.com/quire', isPublic: true },
  } as Args[2]
  const given = await generateStaticExportBundle({ params: { jobId: 'se_1' } } as Args[0], deps, client)
  return { given, noted }
}

test('a completed job gets a link to this server, and the link is stored with who asked for it', async () => {
  const { given, noted } = await answer(completed)
  expect(given).toEqual({
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: {
      jobId: 'se_1',
      bundleUrl: 'https://api.example.com/quire/bundles/se_1/se_1.zip?signature=x',
      sizeBytes: 7,
      sha256: 'a'.repeat(64),
      expiresAt: '2026-11-21T00:15:00.000Z',
    },
  })
  const event = { at: now, action: 'bundle-link.created', subject: 'se_1', detail: 'docs.example.com' }
  expect(noted).toEqual([['se_1', expiresAt, expect.objectContaining({ ...event, actor: 'key ci (abcd)' })]])
})

test('with a storage that signs links, the link leads there and ends when the storage says', async () => {
  const presigned = 'https://s3.example.com/bucket/se_1-4.zip?X-Amz-Signature=x'
  const { given } = await answer(completed, { presigned })
  expect(given.body).toMatchObject({ bundleUrl: presigned, expiresAt: new Date(expiresAt - 1).toISOString() })
})

test.each([
  ['queued', /The job is queued. Poll it/],
  ['running', /The job is running. Poll it/],
  ['failed', /The job failed and has no bundle/],
] as const)('a job that is %s is answered with 409 and the remedy, and no link is stored', async (status, error) => {
  const { given, noted } = await answer(exportJob({ status }))
  expect(given).toEqual({
    status: 409,
    body: { error: expect.stringMatching(error), code: status === 'failed' ? 'export_failed' : 'export_not_completed' },
  })
  expect(noted).toEqual([])
})

test.each(['missing', 'damaged'] as const)(
  'a bundle that is %s is answered with 500, and no link is stored',
  async condition => {
    const { given, noted } = await answer(completed, { condition })
    expect(given).toMatchObject({ status: 500, body: { error: expect.stringContaining(condition) } })
    expect(noted).toEqual([])
  },
)

test.each([
  ['another organization', { organizationId: 'org_2' }],
  ['a job that is deleted meanwhile', { isDeleted: true }],
])('%s gets 404', async (_, asked) => {
  expect((await answer(completed, asked)).given).toEqual({
    status: 404,
    body: { error: 'This organization has no export job with the id in the path.', code: 'unknown_export_job' },
  })
})

test('a signed bundle gets a link to this server, because the storage does not send its signature', async () => {
  const { given } = await answer(completed, { presigned: 'https://s3.example.com/se_1.zip', signingKeyId: 'a1' })
  expect(given).toMatchObject({
    body: { bundleUrl: expect.stringContaining('https://api.example.com/quire/bundles/') },
  })
})
