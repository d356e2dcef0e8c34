import { randomUUID } from 'node:crypto'
import type { QuireClient } from '../../../generated/client.ts'
import type { components } from '../../../generated/openapi.ts'
import { type DownloadOptions, type DownloadProgress, downloadBundle } from './download.ts'
import { QuireError } from './error.ts'
import { getData } from './get-data.ts'
import type { Data } from './method.ts'
import { checkTarget } from './target-file.ts'
import { type WaitOptions, waitForExport } from './wait-for.ts'

type Job = Data<'getStaticExportJob'>

export type ExportProgress = { step: 'export'; job: Job } | ({ step: 'download' } & DownloadProgress)

export interface ExportSiteOptions extends Omit<DownloadOptions, 'onProgress'>, Omit<WaitOptions, 'signal'> {
  /** Where the bundle is written. A file there is replaced when the bundle is whole. */
  file: string
  /** Names this start for 24 hours: a second call with the same name and site gets the same job. Default: a random one. */
  idempotencyKey?: string
  /** Called when the job has changed, and after each part of the bundle. */
  onProgress?: (progress: ExportProgress) => void
}

export interface ExportedSite {
  job: Job
  file: string
  sizeBytes: number
  sha256: string
}

/**
 * Exports a site to a file: starts the job, waits for it, requests the link, and downloads the bundle as `downloadBundle` does.
 *
 * @throws {QuireError} if the export fails, with the reason that the job gives, or if a step is refused
 * @throws {Error} if the file cannot be written, before the job is started where possible
 */
export async function exportSite(
  client: Pick<QuireClient, 'startStaticExportJob' | 'getStaticExportJob' | 'generateStaticExportBundle'>,
  site: components['schemas']['StartExport'],
  options: ExportSiteOptions,
): Promise<ExportedSite> {
  const { file, idempotencyKey = randomUUID(), onProgress, signal } = options
  await checkTarget(file)
  const params = { header: { 'Idempotency-Key': idempotencyKey } }
  // The key makes the start repeatable.
  const start = () => client.startStaticExportJob({ params, body: site, signal })
  const isWhole = (started: Job) => typeof started.jobId === 'string'
  let job: Job = await getData('startStaticExportJob', { send: start, isWhole, signal })
  for await (job of waitForExport(client, job.jobId, options)) onProgress?.({ step: 'export', job })
  if (job.status === 'failed') {
    throw new QuireError('getStaticExportJob', `the export ${job.jobId} failed. ${job.error ?? ''}`.trim(), {
      body: job,
    })
  }
  const { sizeBytes, sha256 } = await downloadBundle(
    client,
    { jobId: job.jobId, file },
    { ...options, onProgress: progress => onProgress?.({ step: 'download', ...progress }) },
  )
  return { job, file, sizeBytes, sha256 }
}
