import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../../server/dashboard/page.ts'
import { exportPage } from '../../server/dashboard/pages/export.ts'
import { exportsPage } from '../../server/dashboard/pages/exports.ts'
import type { ExportJob, ExportRequest, PageChanges } from '../../server/export/jobs/export-job.ts'
import { createId } from '../../server/tenancy/id.ts'
import { queuedJob } from '../support/export-job.ts'
import { makeTarGz, makeZip } from '../unpack/make-archives.ts'
import { addOrganization, openPageVisits } from './page-visit.ts'

export type ExportVisits = Awaited<ReturnType<typeof openExportVisits>>

/** The pages of exports for an organization with a site, and another organization. At most 3 exports may be queued. */
export async function openExportVisits() {
  const pages = await openPageVisits({ maxQueuedExports: 3 })
  const own = await addOrganization(pages.store)
  const other = await addOrganization(pages.store)
  const { organizationId } = own
  let clock = Date.now() - 60_000

  async function queue(request: Partial<ExportRequest> = {}): Promise<string> {
    clock += 1000
    const jobId = createId('se')
    const job = queuedJob({ jobId, organizationId, createdAt: clock, request: { domain: own.domain, ...request } })
    await pages.store.exportJobs.start(job, undefined, 0)
    return jobId
  }
  /** Queues a job and claims it; no other job may be queued. */
  async function run(request: Partial<ExportRequest> = {}) {
    const jobId = await queue(request)
    const claimed = await pages.store.exportJobs.claim('test', clock, 600_000)
    if (claimed?.job.jobId !== jobId) throw new Error('another job was claimed')
    return { jobId, lease: claimed.lease }
  }
  return {
    pages,
    own,
    other,
    queue,
    run,
    listJobs: async (id = organizationId) => pages.store.exportJobs.list({ organizationId: id }),
    showList: (query = '') => pages.read(exportsPage, { organizationId, query }),
    showJob: (jobId: string) => pages.read(exportPage, { organizationId, params: { jobId } }),
    act: (action: string, jobId: string, form: Record<string, string> = {}) =>
      pages.visit(exportPage, { organizationId, params: { jobId }, action, form }),
    start: (form: Record<string, string>, id = organizationId) =>
      pages.visit(exportsPage, {
        organizationId: id,
        action: 'start',
        form: { domain: own.domain, deployment: 'air-gapped', format: 'zip', key: 'key-1', ...form },
      }),
    async fail(sentence: string, request: Partial<ExportRequest> = {}): Promise<string> {
      const { jobId, lease } = await run(request)
      await pages.store.exportJobs.fail(lease, sentence, clock)
      return jobId
    },
    async report(percent: number, pageCount: number, request: Partial<ExportRequest> = {}): Promise<string> {
      const { jobId, lease } = await run(request)
      await pages.store.exportJobs.report(lease, percent, pageCount, clock)
      return jobId
    },
    /** Completes an export with a bundle that has a report. */
    async complete(
      request: Partial<ExportRequest> = {},
      {
        pageCount = 3,
        report = emptyReport as unknown,
        content = undefined as Buffer | undefined,
        changes = null as PageChanges | null,
      } = {},
    ): Promise<ExportJob> {
      const { jobId, lease } = await run(request)
      const bytes = content ?? makeBundle(request.format, report)
      const fileName = `${jobId}-1.${request.format ?? 'zip'}`
      mkdirSync(join(pages.dataFolder, 'bundles'), { recursive: true })
      writeFileSync(join(pages.dataFolder, 'bundles', fileName), bytes)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      clock += 500
      await pages.store.exportJobs.complete(
        lease,
        { fileName, sizeBytes: bytes.length, sha256 },
        pageCount,
        clock,
        changes,
      )
      return (await pages.store.exportJobs.find(jobId)) as ExportJob
    },
  }
}

export const emptyReport = { domain: 'docs.example.com', pages: 3 }

function makeBundle(format: ExportRequest['format'] | undefined, report: unknown): Buffer {
  return (format === 'tar.gz' ? makeTarGz : makeZip)([
    { name: 'a.html', content: 'a' },
    { name: 'export-report.json', content: JSON.stringify(report) },
    { name: 'index.html', content: 'b' },
  ])
}

/** The page that an action answered. */
export function pageOf(answer: Answer): { status: number; text: string } {
  if (!('content' in answer)) throw new Error(`The action answered ${JSON.stringify(answer)}.`)
  return { status: answer.status ?? 200, text: answer.content.text }
}

/** Names of the API that the words of a page have, such as `air-gapped` and `offlineSearch`. Its form has labels for them. */
export function findApiWords(text: string): string[] {
  const written = text.replaceAll(/<textarea.*?<\/textarea>|<code.*?<\/code>/gs, '')
  const names = /\b(air-gapped|client-hosted|[a-z]+[A-Z]\w*|Idempotency-Key|JSON|Poll)\b|\b(paths|features)(\[|\.)/g
  return strip(written).match(names) ?? []
}

/** The words of a page. */
export function strip(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
