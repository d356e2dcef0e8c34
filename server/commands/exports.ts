import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { BundleCondition, BundleStore } from '../export/jobs/bundle-store.ts'
import { deleteExport } from '../export/jobs/delete-export.ts'
import type { ExportJobs, UndeletedJob } from '../export/jobs/export-job.ts'
import { bundlesOption, databaseOption, dataOption, jsonOption } from '../flags/options.ts'
import type { RecordedBundle } from '../store/backup/recorded-bundles.ts'
import { checkStored } from '../store/backup/stored-bundles.ts'
import { toCommandEvent } from '../store/record-change.ts'
import type { Store } from '../store/store.ts'
import { megabyte } from './export-summary.ts'
import { findOrganizationId } from './find-organization.ts'
import { printResult, printRows } from './print.ts'
import { type BundlesFlags, withBundles } from './with-bundles.ts'
import { withExistingStore } from './with-store.ts'

export function exportsCommand(): Command {
  const exports = new Command('exports').description('exports made by the server').addHelpText(
    'after',
    `
Examples:
  npx quire exports list
  npx quire exports list --org Demo --json
  npx quire exports delete se_0f3c9a1b2d4e5f60

To delete exports by age: npx quire serve --export-retention-days 30`,
  )
  exports
    .command('list')
    .description('list the exports, newest first')
    .option('--org <id-or-name>', 'only exports of this organization')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(bundlesOption())
    .addOption(jsonOption())
    .action(async (flags: BundlesFlags & { org?: string; json?: boolean }) => {
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
  exports
    .command('delete <job-id>')
    .description('delete a finished export and its bundle')
    .option('--force', 'delete it even if a link to its bundle still works')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(bundlesOption())
    .addOption(jsonOption())
    .action(async (jobId: string, flags: BundlesFlags & { force?: boolean; json?: boolean }) => {
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
  return exports
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
  if (outcome === 'open') return `${jobId} has not ended yet. Delete it when it is completed or failed.`
  return `A link to the bundle of ${jobId} still works. Wait until it has expired, or delete it with --force.`
}
