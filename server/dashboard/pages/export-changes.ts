import { setTimeout } from 'node:timers/promises'
import type { NamedPage, TextChange } from '../../export/compare/compare-bundles.ts'
import type { CutChanges } from '../../export/compare/cut-changes.ts'
import type { Bundle } from '../../export/jobs/export-job.ts'
import type { DashboardDeps } from '../deps.ts'
import { type PageDefinition, PageNotFound } from '../page.ts'
import { factList } from '../parts/facts.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { time } from '../parts/time.ts'
import { changesTexts as texts } from '../texts/exports.ts'
import { findBefore } from './export-list.ts'

const liveMs = 1500
/** How long a request waits for the comparison before the page says that it runs. */
const patienceMs = 2000

/** The pages that an export added, removed, moved and changed, by their texts, since the export before it. */
export const exportChangesPage: PageDefinition = {
  section: 'exports',
  path: '/exports/:jobId/changes',
  show: async (visit, deps) => {
    const job = await deps.exportJobs.findOwned(visit.organization.id, visit.params.jobId ?? '')
    if (!job?.bundle) throw new PageNotFound()
    const summaries = await deps.exportJobs.listSummaries(job.organizationId, job.request.domain)
    const found = await findBefore(job, summaries, deps)
    const before =
      typeof found === 'object' ? await deps.exportJobs.findOwned(job.organizationId, found.jobId) : undefined
    const title = texts.title(job.request.domain)
    const back = html`<p><a href="${visit.link(`/exports/${job.jobId}`)}">${texts.back}</a></p>`
    if (!before?.bundle) return { title, content: html`${back}<p>${texts.none}</p>` }
    const outcome = await compare(before.bundle, job.bundle, deps)
    const isRunning = outcome === 'running'
    const content = html`${back}
<p>${texts.between} <a href="${visit.link(`/exports/${before.jobId}`)}">${texts.before}</a>, ${time(before.createdAt)}.</p>
<div id="export-changes"${isRunning && html` data-live="${liveMs}"`}>
${isRunning ? html`<p role="status">${texts.running}</p>` : showOutcome(outcome, [before.jobId, job.jobId])}
</div>`
    return { title, content }
  },
}

type Outcome = CutChanges | 'running' | 'missing' | 'failed'

async function compare(before: Bundle, after: Bundle, { bundles, compareBundles }: DashboardDeps): Promise<Outcome> {
  for (const bundle of [before, after]) if ((await bundles.check(bundle)) !== 'sound') return 'missing'
  return Promise.race([compareBundles(before, after), setTimeout(patienceMs, 'running' as const, { ref: false })])
}

function showOutcome(outcome: Exclude<Outcome, 'running'>, [before, after]: [string, string]): Markup {
  if (outcome === 'missing') return html`<p class="notice bad" role="alert">${texts.missing}</p>`
  const command = html`<code>npx quire exports diff ${before} ${after} --html changes.html</code>`
  if (outcome === 'failed') return html`<p class="notice bad" role="alert">${texts.failed} ${command}</p>`
  const { counts, added, removed, moved, changed } = outcome
  const { facts } = texts
  return html`${factList([
    [facts.changed, counts.changed],
    [facts.added, counts.added],
    [facts.removed, counts.removed],
    [facts.moved, counts.moved],
    [facts.unchanged, counts.unchanged],
  ])}
${list(facts.changed, counts.changed, changed.map(showChanged))}
${list(facts.added, counts.added, added.map(showNamed))}
${list(facts.removed, counts.removed, removed.map(showNamed))}
${list(facts.moved, counts.moved, moved.map(showMoved))}
<p class="hint">${texts.all} ${command}</p>`
}

function list(title: string, count: number, rows: readonly Markup[]): Fragment {
  if (rows.length === 0) return false
  const rest = count - rows.length
  return html`<h2>${title}</h2>
<ul class="changes">${rows}</ul>
${rest > 0 && html`<p>${texts.more(rest)}</p>`}`
}

function showNamed({ page, name }: NamedPage): Markup {
  return html`<li>${name} <code>${page}</code></li>\n`
}

function showMoved({ name, from, to }: CutChanges['moved'][number]): Markup {
  return html`<li>${name} <code>${from}</code> → <code>${to}</code></li>\n`
}

function showChanged({ page, name, changes, morePlaces }: CutChanges['changed'][number]): Markup {
  return html`<li><details><summary>${name} <code>${page}</code></summary>
${changes.map(showChange)}
${morePlaces > 0 && html`<p>${texts.morePlaces(morePlaces)}</p>`}
</details></li>\n`
}

function showChange({ section, removed, added }: TextChange): Markup {
  return html`${section !== '' && html`<h3>${section}</h3>`}
${removed.map(text => html`<p><del>${text}</del></p>`)}
${added.map(text => html`<p><ins>${text}</ins></p>`)}`
}
