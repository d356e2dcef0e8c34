import { escapeControls } from '../../base/escape-controls.ts'
import { describeBytes } from '../../base/format-bytes.ts'
import { relativePath } from '../../docs/relative-path.ts'
import { describeDownload } from '../../export/jobs/bundle-download.ts'
import { explainCondition } from '../../export/jobs/bundle-store.ts'
import { deleteExport } from '../../export/jobs/delete-export.ts'
import { cancelledBy, type ExportJob, type ExportJobs } from '../../export/jobs/export-job.ts'
import { callOperation } from '../../http/call-operation.ts'
import { includesStaticExport } from '../../tenancy/organization.ts'
import { toClient } from '../client.ts'
import type { DashboardDeps } from '../deps.ts'
import { organizationPath } from '../frame.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { actionButton } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { factList } from '../parts/facts.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { timeUntil } from '../parts/time.ts'
import { exportTexts as texts } from '../texts/exports.ts'
import { comparePages, describeChanges, describeDifference, isOpen, type PageDifference } from './export-list.ts'
import { showRequest, showWork } from './export-progress.ts'
import { showReport } from './export-report.ts'

const liveMs = 1500

/** One export: its progress, which renews itself, and then its bundle and report. */
export const exportPage: PageDefinition = {
  section: 'exports',
  path: '/exports/:jobId',
  show: async (visit, deps) => {
    const job = await findJob(visit, deps)
    return { title: texts.exportOf(job.request.domain), content: await showExport(visit, deps, job) }
  },
  actions: { link, download, cancel, delete: remove },
}

async function findJob({ organization, params }: Visit, { exportJobs }: DashboardDeps): Promise<ExportJob> {
  const job = await exportJobs.findOwned(organization.id, params.jobId ?? '')
  if (!job) throw new PageNotFound()
  return job
}

async function link(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const job = await findJob(visit, deps)
  const answer = await callOperation(
    'generateStaticExportBundle',
    { params: { jobId: job.jobId } },
    deps,
    toClient(visit),
  )
  const title = texts.exportOf(job.request.domain)
  if (answer.status === 200 && 'body' in answer) {
    return { title, content: showLink(visit, job, answer.body) }
  }
  if (answer.status === 404) throw new PageNotFound()
  const sentence =
    'problems' in answer ? answer.problems.join(' ') : job.bundle ? answer.body.error : texts.noBundle[job.status]
  const content = html`<div class="notice bad" role="alert"><p>${sentence}</p></div>
${await showExport(visit, deps, job)}`
  return { title, status: answer.status, content }
}

/** Sends the bundle itself, without a link that others could use. */
async function download(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const job = await findJob(visit, deps)
  const { bundle, request } = job
  if (bundle && !includesStaticExport(visit.organization.plan)) {
    return { title: texts.exportOf(request.domain), status: 403, content: await showExport(visit, deps, job) }
  }
  const fault = bundle ? explainCondition(await deps.bundles.verify(bundle), deps.bundles) : texts.noBundle[job.status]
  if (!bundle || fault !== null) {
    const content = html`<p class="notice bad" role="alert">${fault}</p>${await showExport(visit, deps, job)}`
    return { title: texts.exportOf(request.domain), status: 409, content }
  }
  return {
    download: {
      ...describeDownload(job),
      body: await deps.bundles.open(bundle.fileName),
      sizeBytes: bundle.sizeBytes,
    },
  }
}

/** Ends an open export. One that has ended meanwhile stays as it is, and its page says how it ended. */
async function cancel(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const { jobId, request } = await findJob(visit, deps)
  const error = cancelledBy(escapeControls(visit.person.name))
  const isCancelled = await visit.record(
    { action: 'export.cancelled', subject: jobId, detail: request.domain },
    ({ exportJobs }) => exportJobs.cancel(jobId, error, visit.now),
  )
  return { leadTo: `/exports/${jobId}`, notice: isCancelled ? 'export-cancelled' : 'export-had-ended' }
}

/** Deletes an export. If a link to its bundle still works, the person has to say so a second time. */
async function remove(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const job = await findJob(visit, deps)
  const despiteLink = visit.form.get('despiteLink') === 'yes'
  const exportJobs = { find: deps.exportJobs.find, delete: deleteRecorded(visit, job) }
  const outcome = await deleteExport({ exportJobs, bundles: deps.bundles }, job.jobId, { now: visit.now, despiteLink })
  if (outcome === 'unknown') throw new PageNotFound()
  if (outcome === 'deleted') return { leadTo: '/exports', notice: 'export-deleted' }
  const title = texts.exportOf(job.request.domain)
  return { title, status: 409, content: outcome === 'linked' ? askAgain(visit, job) : stillOpen(visit, job) }
}

/** Deletes a job and appends its audit event, in one transaction. */
function deleteRecorded({ record }: Visit, { jobId, request }: ExportJob): ExportJobs['delete'] {
  return async (id, now, despiteLink) => {
    let outcome: Awaited<ReturnType<ExportJobs['delete']>> = 'unknown'
    await record({ action: 'export.deleted', subject: jobId, detail: request.domain }, function* ({ exportJobs }) {
      outcome = yield* exportJobs.delete(id, now, despiteLink)
      return typeof outcome !== 'string'
    })
    return outcome
  }
}

function askAgain(visit: Visit, { jobId }: ExportJob): Markup {
  return html`<div class="notice bad" role="alert">
<h2>${texts.linkedTitle}</h2>
<p>${texts.linkedHint}</p>
<div class="buttons">${actionButton(visit, `/exports/${jobId}/delete`, { label: texts.deleteAnyway, kind: 'danger', fields: { despiteLink: 'yes' } })}
<a class="button main" href="${visit.link(`/exports/${jobId}`)}">${texts.keep}</a></div>
</div>`
}

function stillOpen(visit: Visit, { jobId }: ExportJob): Markup {
  return html`<div class="notice bad" role="alert">
<h2>${texts.openTitle}</h2>
<p>${texts.openHint}</p>
<div class="buttons">${cancelButton(visit, jobId)} <a class="button main" href="${visit.link(`/exports/${jobId}`)}">${texts.openExport}</a></div>
</div>`
}

/**
 * The page of an export. A screen reader announces the line of its status when that changes, and not the numbers, which change all the
 * time. The button to cancel is a part of its own, because a part is not renewed while the focus is inside it.
 */
async function showExport(visit: Visit, deps: DashboardDeps, job: ExportJob): Promise<Markup> {
  const ahead = job.status === 'queued' ? await deps.exportJobs.countAhead(job) : 0
  // A page that answers a form has an address that cannot be read again.
  const live = isOpen(job) && visit.form.size === 0 && html` data-live="${liveMs}"`
  const work = isOpen(job) ? deps.workBoard.find(job.jobId) : undefined
  return html`<p><a href="${visit.link('/exports')}">${texts.back}</a></p>
<p role="status"><span id="export-state"${live}><span class="state ${job.status}">${texts.statuses[job.status]}</span> ${texts.stateNow[job.status]}</span></p>
<div id="export-now"${live}>
${isOpen(job) && showWork(job, ahead, work)}
${job.status === 'failed' && showFailure(visit, job)}
${job.bundle && (await showBundle(visit, deps, job))}
${job.bundle && (await showReport(deps, job.bundle))}
</div>
<div id="export-cancel"${live}>${isOpen(job) && html`<div class="buttons">${cancelButton(visit, job.jobId)}</div>`}</div>
<div id="export-settings"${live}>
${showRequest(job)}
${!isOpen(job) && showEnd(visit, job)}
</div>`
}

function cancelButton(visit: Visit, jobId: string): Markup {
  const options = { label: texts.cancel, kind: 'danger', confirm: texts.confirmCancel } as const
  return actionButton(visit, `/exports/${jobId}/cancel`, options)
}

function showFailure(visit: Visit, { jobId, error }: ExportJob): Markup {
  return html`<div class="notice bad">
<h2>${texts.failedTitle}</h2>
<p>${error}</p>
<p>${texts.failedNext[0]} <a href="${visit.link('/exports')}?like=${jobId}#start">${texts.failedNext[1]}</a></p>
</div>`
}

/** What can be done with an export that has ended. */
function showEnd(visit: Visit, { jobId }: ExportJob): Markup {
  return html`<h2>${texts.againTitle}</h2>
<div class="buttons"><a class="button main" href="${visit.link('/exports')}?like=${jobId}#start">${texts.again}</a>
${actionButton(visit, `/exports/${jobId}/delete`, { label: texts.delete, kind: 'danger', confirm: texts.confirmDelete })}</div>
<p class="hint">${texts.endHint}</p>`
}

/** What generateStaticExportBundle answers. */
interface BundleLink {
  bundleUrl: string
  sizeBytes: number
  sha256: string
  expiresAt: string
}

/** The bundle of a completed export: what it is, and how to get it. */
async function showBundle(
  visit: Visit,
  { bundles, exportJobs, previewPath }: Pick<DashboardDeps, 'bundles' | 'exportJobs' | 'previewPath'>,
  job: ExportJob,
): Promise<Fragment> {
  const { jobId, organizationId, request, bundle, pageCount } = job
  if (!bundle) return false
  const summaries = await exportJobs.listSummaries(organizationId, request.domain)
  const difference = await comparePages(job, summaries, { exportJobs })
  const fault = explainCondition(await bundles.check(bundle), bundles)
  const isIncluded = includesStaticExport(visit.organization.plan)
  const { facts } = texts
  const pages = relativePath(organizationPath(organizationId, `/exports/${jobId}`), previewPath(jobId))
  return html`<h2>${texts.bundleTitle}</h2>
${fault !== null && html`<p class="notice bad">${fault}</p>`}
${factList([
  [facts.pagesDone, pageCount],
  [facts.difference, showDifference(visit, job, difference)],
  [facts.size, describeBytes(bundle.sizeBytes)],
  [facts.checksum, showChecksum(bundle.sha256)],
])}
${!isIncluded && html`<p class="notice bad" role="alert">${texts.planHint}</p>`}
${
  isIncluded &&
  fault === null &&
  html`<div class="buttons">${actionButton(visit, `/exports/${jobId}/download`, { label: texts.download, kind: 'main' })}
<a class="button" href="${pages}" target="_blank" rel="noopener noreferrer">${texts.openSite}</a>
<a class="button" href="${pages}export-report.html" target="_blank" rel="noopener noreferrer">${texts.openReport}</a>
${actionButton(visit, `/exports/${jobId}/link`, { label: texts.makeLink })}</div>
<p class="hint">${texts.openHintSite}</p>
<p class="hint">${texts.linkHint}</p>`
}`
}

/** Pages may be changed without a change of their number, so it leads to the changes. */
function showDifference(visit: Visit, { jobId, changes }: ExportJob, difference: PageDifference | undefined): Fragment {
  const counted = changes && texts.changedLong(describeChanges(changes))
  const words = counted ?? describeDifference(difference, texts.differenceLong)
  if (words === undefined || difference === 'first') return words
  return html`${words}. <a href="${visit.link(`/exports/${jobId}/changes`)}">${texts.whatChanged}</a>`
}

/** The one page that has a link to a bundle. No browser and no cache may store it. */
function showLink(visit: Visit, { jobId }: ExportJob, link: BundleLink): Markup {
  const { bundleUrl, expiresAt, sizeBytes, sha256 } = link
  const { facts } = texts
  return html`<p class="notice" role="status">${texts.linkTitle}</p>
<p class="secret"><code id="bundle-url">${bundleUrl}</code> ${copyButton(bundleUrl, { label: texts.copy, name: texts.copyLink })}</p>
<p>${texts.linkWorks} ${timeUntil(Date.parse(expiresAt))}</p>
<p>${texts.linkSecret}</p>
${factList([
  [facts.size, describeBytes(sizeBytes)],
  [facts.checksum, showChecksum(sha256)],
])}
<div class="buttons"><a class="button main" href="${bundleUrl}" download rel="noreferrer">${texts.download}</a>
${actionButton(visit, `/exports/${jobId}/link`, { label: texts.makeAnotherLink })}
<a class="button" href="${visit.link(`/exports/${jobId}`)}">${texts.openExport}</a></div>`
}

function showChecksum(sha256: string): Markup {
  return html`<code>${sha256}</code> ${copyButton(sha256, { label: texts.copy, name: texts.copyChecksum })}`
}
