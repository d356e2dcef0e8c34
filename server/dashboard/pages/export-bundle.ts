import { describeBytes } from '../../base/format-bytes.ts'
import { explainCondition } from '../../export/jobs/bundle-store.ts'
import type { ExportJob } from '../../export/jobs/export-job.ts'
import { includesStaticExport } from '../../tenancy/organization.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { actionButton } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { factList } from '../parts/facts.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { timeUntil } from '../parts/time.ts'
import { exportTexts as texts } from '../texts/exports.ts'
import { comparePages, type PageDifference } from './export-list.ts'

/** What generateStaticExportBundle answers. */
interface BundleLink {
  bundleUrl: string
  sizeBytes: number
  sha256: string
  expiresAt: string
}

/** The bundle of a completed export: what it is, and how to get it. */
export async function showBundle(
  visit: Visit,
  { bundles, exportJobs }: Pick<DashboardDeps, 'bundles' | 'exportJobs'>,
  job: ExportJob,
): Promise<Fragment> {
  const { jobId, organizationId, request, bundle, pageCount } = job
  if (!bundle) return false
  const summaries = await exportJobs.listSummaries(organizationId, request.domain)
  const difference = await comparePages(job, summaries, { exportJobs })
  const fault = explainCondition(await bundles.check(bundle), bundles)
  const isIncluded = includesStaticExport(visit.organization.plan)
  const { facts } = texts
  return html`<h2>${texts.bundleTitle}</h2>
${fault !== null && html`<p class="notice bad">${fault}</p>`}
${factList([
  [facts.pagesDone, pageCount],
  [facts.difference, describeDifference(difference)],
  [facts.size, describeBytes(bundle.sizeBytes)],
  [facts.checksum, showChecksum(bundle.sha256)],
])}
${!isIncluded && html`<p class="notice bad" role="alert">${texts.planHint}</p>`}
${
  isIncluded &&
  fault === null &&
  html`<div class="buttons">${actionButton(visit, `/exports/${jobId}/download`, { label: texts.download, kind: 'main' })}
${actionButton(visit, `/exports/${jobId}/link`, { label: texts.makeLink })}</div>
<p class="hint">${texts.linkHint}</p>`
}`
}

/** The one page that has a link to a bundle. No browser and no cache may store it. */
export function showLink(visit: Visit, { jobId }: ExportJob, link: BundleLink): Markup {
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

function describeDifference(difference: PageDifference | undefined): Fragment {
  const words = texts.differenceLong
  if (difference === undefined || typeof difference === 'string') return difference && words[difference]
  return 'more' in difference ? words.more(difference.more) : words.fewer(difference.fewer)
}
