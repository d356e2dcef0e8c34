import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { BundleCondition, BundleStore } from '../export/jobs/bundle-store.ts'
import { deleteExport } from '../export/jobs/delete-export.ts'
import { cancelledBy, type ExportJobs, type UndeletedJob } from '../export/jobs/export-job.ts'
import { addSettings } from '../flags/setting.ts'
import { type BundlesFlags, bundlesSettings, storeSettings } from '../flags/shared-settings.ts'
import type { RecordedBundle } from '../store/backup/recorded-bundles.ts'
import { checkStored } from '../store/backup/stored-bundles.ts'
import { recordChange, toCommandEvent } from '../store/record-change.ts'
import type { Store } from '../store/store.ts'
import { megabyte } from './export-summary.ts'
import { diffCommand } from './exports-diff.ts'
import { findOrganizationId } from './find-organization.ts'
import { printResult, printRows } from './print.ts'
import { withBundles } from './with-bundles.ts'
import { withExistingStore } from './with-store.ts'

export function exportsCommand(): Command {
  const exports = new Command('exports')
    .description('exports made by the server, and what changed between two bundles')
    .addHelpText(
      'after',
      `
Examples:
  npx quire exports list
  npx quire exports list --org Demo --json
  npx quire exports cancel se_5d1e8c07a3b94f26
  npx quire exports delete se_0f3c9a1b2d4e5f60
  npx quire exports diff docs-2.3.zip docs-2.4.zip
  npx quire exports diff docs-2.3.zip docs-2.4.zip --html changes.html

To delete exports by age: npx quire serve --export-retention-days 30`,
    )
  addSettings(
    exports
      .command('list')
      .description('list the exports, newest first')
      .option('--org <id-or-name>', 'only exports of this organization'),
    bundlesSettings,
  ).action(async (flags: BundlesFlags & { org?: string }) => {
    const jobs = await withExistingStore(flags, async store =>
      store.exportJobs.list({ organizationId: await findOrganizationId(store, flags) }),
    )
    const recorded = jobs.flatMap(({ jobId, bundle }) => (bundle ? [{ jobId, ...bundle }] : []))
    const checked = await withBundles(flags, bundles => checkIfReachable(bundles, recorded))
    const conditions = new Map([...checked].map(([{ jobId }, condition]) => [jobId, condition]))
    const rows = jobs.map(({ jobId, request, status, pageCount, bundle, createdAt, updatedAt, error }) => ({
      jobId,
      domain: request.domain,
      status,
      pageCount,
      sizeBytes: bundle?.sizeBytes ?? null,
      createdAt,
      updatedAt,
      sha256: bundle?.sha256 ?? null,
      bundle: bundle ? (conditions.get(jobId) ?? 'unchecked') : null,
      error,
    }))
    printRows(rows, {
      json: flags.json,
      empty: 'There are no exports yet. Start one over the API: POST /v1/static-export/jobs',
      toRow: ({ jobId, domain, status, pageCount, sizeBytes, createdAt, bundle }) => ({
        jobId,
        domain,
        status: bundle === 'missing' || bundle === 'damaged' ? bundle : status,
        pages: pageCount,
        MB: sizeBytes === null ? null : (sizeBytes / megabyte).toFixed(1),
        createdAt,
      }),
    })
  })
  addSettings(
    exports.command('cancel <job-id>').description('end an export that is queued or running; it becomes failed'),
    storeSettings,
  ).action(async (jobId: string, flags: BundlesFlags) => {
    await withExistingStore(flags, store => cancel(store, jobId))
    printResult(
      flags.json,
      { jobId, cancelled: true },
      `${jobId} is cancelled. A running export ends within 5 seconds.`,
    )
  })
  addSettings(
    exports
      .command('delete <job-id>')
      .description('delete a finished export and its bundle')
      .option('--force', 'delete it even if a link to its bundle still works'),
    bundlesSettings,
  ).action(async (jobId: string, flags: BundlesFlags & { force?: boolean }) => {
    const outcome = await withExistingStore(flags, store =>
      withBundles(flags, bundles =>
        deleteExport({ exportJobs: { find: store.exportJobs.find, delete: deleteRecorded(store) }, bundles }, jobId, {
          now: Date.now(),
          despiteLink: flags.force ?? false,
        }),
      ),
    )
    if (outcome !== 'deleted') throw new OperatorError(explain(jobId, outcome))
    printResult(flags.json, { jobId, deleted: true }, `${jobId} is deleted.`)
  })
  exports.addCommand(diffCommand())
  return exports
}

/** @throws {OperatorError} when there is no such export, or it has ended. */
async function cancel(store: Store, jobId: string): Promise<void> {
  const job = await store.exportJobs.find(jobId)
  if (!job) throw new OperatorError(explain(jobId, 'unknown'))
  const { organizationId, request } = job
  const isCancelled = await recordChange(
    store,
    { action: 'export.cancelled', subject: jobId, organizationId, detail: request.domain },
    ({ exportJobs }) => exportJobs.cancel(jobId, cancelledBy('the operator of the server'), Date.now()),
  )
  if (isCancelled) return
  const { status } = (await store.exportJobs.find(jobId)) ?? {}
  throw new OperatorError(`${jobId} has already ended: it is ${status ?? 'deleted'}.`)
}

/** Returns nothing when the storage does not answer, because the list is useful all the same. */
async function checkIfReachable(
  bundles: BundleStore,
  recorded: readonly RecordedBundle[],
): Promise<ReadonlyMap<RecordedBundle, BundleCondition>> {
  try {
    return await checkStored(bundles, recorded)
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    console.error(`${error.message} The bundles were not checked.`)
    return new Map()
  }
}

/** Deletes a job and appends its audit event, in one transaction. */
function deleteRecorded({ atomically }: Pick<Store, 'atomically'>): ExportJobs['delete'] {
  return (jobId, now, despiteLink) =>
    atomically(function* ({ exportJobs, auditLog }) {
      const job = yield* exportJobs.find(jobId)
      const deleted = yield* exportJobs.delete(jobId, now, despiteLink)
      if (job && typeof deleted !== 'string') {
        const { organizationId, request } = job
        yield* auditLog.append(
          toCommandEvent({ action: 'export.deleted', subject: jobId, organizationId, detail: request.domain }),
        )
      }
      return deleted
    })
}

function explain(jobId: string, outcome: UndeletedJob): string {
  if (outcome === 'unknown') return `There is no export ${jobId}. See: npx quire exports list`
  if (outcome === 'open') return `${jobId} has not ended yet. Cancel it first: npx quire exports cancel ${jobId}`
  return `A link to the bundle of ${jobId} still works. Wait until it has expired, or delete it with --force.`
}
