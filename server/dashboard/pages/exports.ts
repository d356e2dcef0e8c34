import { describeBytes } from '../../base/format-bytes.ts'
import type { ExportJob, ExportSummary } from '../../export/jobs/export-job.ts'
import { callOperation } from '../../http/call-operation.ts'
import type { Deployment } from '../../products/features.ts'
import type { Listed } from '../../tenancy/list-part.ts'
import { includesStaticExport } from '../../tenancy/organization.ts'
import type { Site } from '../../tenancy/site.ts'
import { toClient } from '../client.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { describeDuration } from '../parts/duration.ts'
import { checkFields, linesField, problemLine, selectField, textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { startTexts, exportTexts as texts } from '../texts/exports.ts'
import { askForSite } from './ask-operator.ts'
import {
  addProblems,
  createForm,
  createFormLike,
  deployments,
  type ExportForm,
  listConfigurable,
  readExportForm,
  toStartBody,
} from './export-form.ts'
import { comparePages, describeChanges, describeDifference, isOpen, type PageDifference } from './export-list.ts'
import { maxChoices } from './project-choice.ts'

const perPage = 50
const liveMs = 3000

/** The exports of an organization, and the form that starts one. */
export const exportsPage: PageDefinition = { section: 'exports', path: '/exports', show, actions: { start } }

/** Shown when someone loads the address of a refused form again. */
export const startedPage: PageDefinition = { section: 'exports', path: '/exports/start', show }

async function show(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const like = await deps.exportJobs.findOwned(visit.organization.id, visit.query.get('like') ?? '')
  const form = like ? createFormLike(like) : createForm(visit.query.get('site') ?? '')
  return { title: texts.title, content: await showExports(visit, deps, form) }
}

async function start(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const form = readExportForm(visit.form)
  const headers = { 'idempotency-key': form.idempotencyKey }
  const answer = await callOperation(
    'startStaticExportJob',
    { headers, body: toStartBody(form) },
    deps,
    toClient(visit),
  )
  if (answer.status === 202 && 'body' in answer) {
    const { jobId } = answer.body
    return { leadTo: `/exports/${jobId}`, notice: 'export-started' }
  }
  const refused = answer.status === 409 ? renewKey(form) : addProblems(form, sentencesOf(answer))
  return { title: texts.title, status: answer.status, content: await showExports(visit, deps, refused) }
}

/** A person who goes back to a used form and changes it wants another export, and says so with a second press. */
function renewKey(form: ExportForm): ExportForm {
  return { ...form, idempotencyKey: createForm().idempotencyKey, general: [startTexts.usedForm] }
}

function sentencesOf(answer: { problems: readonly string[] } | { body: { error?: string | null } }): readonly string[] {
  return 'problems' in answer ? answer.problems : [answer.body.error ?? startTexts.notStarted]
}

async function showExports(visit: Visit, deps: DashboardDeps, form: ExportForm): Promise<Markup> {
  const { id } = visit.organization
  const [sites, summaries] = await Promise.all([
    deps.sites.listPart(id, { contains: '', limit: maxChoices, offset: 0 }),
    deps.exportJobs.listSummaries(id),
  ])
  return html`<p>${texts.intro}</p>
<h2 id="start">${startTexts.title}</h2>
${sites.count === 0 ? html`<p class="empty">${startTexts.noSite} ${await explainNoSite(visit, deps)}</p>` : exportForm(visit, sites, form)}
<h2>${texts.listTitle}</h2>
${await exportTable(visit, deps, summaries, sites.count > 0)}`
}

/** What to do without a site: members cannot register one. */
async function explainNoSite(visit: Visit, deps: DashboardDeps): Promise<Markup> {
  if (visit.person.organizationId !== null) return askForSite(visit, deps)
  return html`<a href="${visit.link('/projects')}#new-site">${startTexts.noSiteLink}</a>`
}

/** A row of the list. */
interface ListedExport extends ExportJob {
  difference: PageDifference | undefined
  /** How many exports are ahead of a queued one. */
  ahead: number
}

/** Reads the exports of one page of the list; nothing else is read in full, because there can be thousands. */
async function readRows(
  { organization }: Visit,
  { exportJobs }: Pick<DashboardDeps, 'exportJobs'>,
  summaries: readonly ExportSummary[],
  first: number,
): Promise<ListedExport[]> {
  const rows: ListedExport[] = []
  for (const { jobId } of summaries.slice(first, first + perPage)) {
    const job = await exportJobs.findOwned(organization.id, jobId)
    if (!job) continue
    const ahead = job.status === 'queued' ? await exportJobs.countAhead(job) : 0
    rows.push({ ...job, ahead, difference: await comparePages(job, summaries, { exportJobs }) })
  }
  return rows
}

/** One page of the list. It renews itself while an export is open. */
async function exportTable(
  visit: Visit,
  deps: Pick<DashboardDeps, 'exportJobs'>,
  summaries: readonly ExportSummary[],
  hasSite: boolean,
): Promise<Markup> {
  const first = Math.min(readFirst(visit), Math.max(0, summaries.length - 1))
  const shown = await readRows(visit, deps, summaries, first)
  const { columns } = texts
  return html`<div id="exports"${summaries.some(isOpen) && html` data-live="${liveMs}"`}>
${table(shown, {
  caption: texts.listTitle,
  empty: hasSite ? texts.empty : texts.emptyWithoutSite,
  columns: [
    {
      heading: columns.site,
      show: ({ jobId, request }) => html`<a href="${visit.link(`/exports/${jobId}`)}">${request.domain}</a>`,
    },
    { heading: columns.status, show: statusCell },
    { heading: columns.version, isText: true, show: ({ request }) => request.version ?? texts.noVersion },
    { heading: columns.pages, isNumber: true, show: ({ pageCount }) => pageCount },
    {
      heading: columns.difference,
      isNumber: true,
      show: ({ changes, difference }) =>
        changes ? describeChanges(changes) : describeDifference(difference, texts.differences),
    },
    { heading: columns.size, isNumber: true, show: ({ bundle }) => bundle && describeBytes(bundle.sizeBytes) },
    { heading: columns.created, show: ({ createdAt }) => timeAgo(createdAt, visit.now) },
    {
      heading: columns.duration,
      isNumber: true,
      show: job => !isOpen(job) && describeDuration(job.updatedAt - job.createdAt),
    },
  ],
})}
${shown.length > 0 && html`<p class="hint">${texts.differenceHint}</p>`}
${pageLinks(visit, first, summaries.length)}</div>`
}

function readFirst({ query }: Visit): number {
  const first = query.get('from') ?? ''
  return /^\d{1,6}$/.test(first) ? Number(first) : 0
}

function pageLinks(visit: Visit, first: number, count: number): Fragment {
  const link = (from: number, label: string) =>
    html`<a class="button" href="${visit.link('/exports')}?from=${from}">${label}</a> `
  const newer = first > 0 && link(Math.max(0, first - perPage), texts.paging.newer)
  const older = first + perPage < count && link(first + perPage, texts.paging.older)
  return (newer || older) && html`<p>${newer}${older}</p>`
}

function statusCell({ status, progress, ahead }: ListedExport): Markup {
  const state = html`<span class="state ${status}">${texts.statuses[status]}</span>`
  if (status === 'running') return html`${state} ${texts.percent(progress)}`
  return status === 'queued' ? html`${state} ${texts.queuePlace(ahead)}` : state
}

/** The form that starts an export. What most people leave as it is can be unfolded. */
function exportForm(visit: Visit, sites: Listed<Site>, form: ExportForm): Markup {
  return html`<form method="post" action="${visit.link('/exports/start')}" class="card">
${tokenField(visit)}<input type="hidden" name="key" value="${form.idempotencyKey}">
${generalProblems(visit, form)}
${siteField(sites, form)}
<details${isUnfolded(form) && html` open`}><summary>${startTexts.moreOptions}</summary>
${textField({ label: startTexts.version, name: 'version', value: form.version, hint: startTexts.versionHint, problem: form.problems.version, maxLength: 64 })}
${linesField({ label: startTexts.paths, name: 'paths', value: form.paths, hint: startTexts.pathsHint, problem: form.problems.paths, rows: 4 })}
${deploymentFields(form)}
${checkFields({ legend: startTexts.offlineSearch, boxes: { offlineSearch: { label: startTexts.offlineSearchLabel, checked: form.offlineSearch } } })}
${selectField({ label: startTexts.format, name: 'format', value: form.format, choices: Object.entries(startTexts.formats), problem: form.problems.format })}
</details>
<p><button class="main">${startTexts.start}</button></p>
${scheduleHint(visit, sites)}
</form>`
}

/** Leads to the schedule of the only site, or to the list of sites. */
function scheduleHint(visit: Visit, { rows: [first], count }: Listed<Site>): Markup | false {
  if (!first) return false
  const path = count === 1 ? `/projects/sites/${first.domain}#schedule` : '/projects'
  return html`<p class="hint"><a href="${visit.link(path)}">${startTexts.schedule}</a></p>`
}

/** The site to export. With very many, it is typed. */
function siteField({ rows, count }: Listed<Site>, { domain, problems }: ExportForm): Markup {
  const field = { label: startTexts.site, name: 'domain', value: domain, problem: problems.domain }
  if (count > maxChoices) return textField({ ...field, hint: startTexts.siteHint, required: true, maxLength: 253 })
  const choices = rows.map(row => [row.domain, row.domain] as const)
  return selectField({ ...field, choices: keepChoice(choices, domain) })
}

/** A site that was removed meanwhile stays chosen, so that its problem is about what the person sees. */
function keepChoice(choices: readonly (readonly [string, string])[], chosen: string) {
  return chosen === '' || choices.some(([value]) => value === chosen)
    ? choices
    : [...choices, [chosen, chosen] as const]
}

function generalProblems({ organization }: Visit, { general }: ExportForm): Fragment {
  if (general.length === 0) return false
  return html`<div class="notice bad" role="alert"><p><strong>${startTexts.notStarted}</strong></p>
${general.map(sentence => html`<p>${sentence}</p>`)}${!includesStaticExport(organization.plan) && html`<p>${texts.planHint}</p>`}</div>`
}

/** Whether a setting differs from what most people want, or is wrong. */
function isUnfolded({ version, paths, deployment, features, offlineSearch, format, problems }: ExportForm): boolean {
  const hasProblem = Object.keys(problems).some(field => field !== 'domain')
  const hasText = version !== '' || paths !== '' || format !== 'zip'
  return hasProblem || hasText || offlineSearch || deployment !== 'air-gapped' || features.size > 0
}

function deploymentFields(form: ExportForm): Markup {
  return html`<fieldset class="field"><legend>${startTexts.deployment}</legend>
${deployments.map(deployment => deploymentField(form, deployment))}
${problemLine('deployment', form.problems.deployment)}${problemLine('features', form.problems.features)}</fieldset>`
}

/** A deployment, what is fixed in it and why, and the features to choose, which show when the deployment is chosen. */
function deploymentField({ deployment: chosen, features }: ExportForm, deployment: Deployment): Markup {
  const { label, hint, choice } = startTexts.deployments[deployment]
  const boxes = listConfigurable(deployment).map(feature => {
    const name = `${deployment}.${feature}`
    return html`<label class="check"><input type="checkbox" name="${name}"${features.has(name) && html` checked`}> ${startTexts.features[feature]}</label>`
  })
  return html`<div class="choice">
<label class="check"><input type="radio" name="deployment" value="${deployment}"${deployment === chosen && html` checked`} aria-describedby="hint-${deployment}"> ${label}</label>
<p class="hint" id="hint-${deployment}">${hint}</p>
${boxes.length > 0 && html`<div class="inner" role="group" aria-label="${choice}"><p class="hint">${choice}</p>${boxes}</div>`}
</div>
`
}
