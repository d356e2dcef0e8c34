import type { ExportJob } from '../../export/jobs/export-job.ts'
import type { ExportWork } from '../../export/jobs/work-board.ts'
import { copyButton } from '../parts/copy.ts'
import { describeDuration } from '../parts/duration.ts'
import { factList } from '../parts/facts.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { time } from '../parts/time.ts'
import { startTexts, exportTexts as texts } from '../texts/exports.ts'
import { allFeatures } from './export-form.ts'

/** Pages a second; fewer would be shown as 0. */
const minShownRate = 0.05
/** An estimate is not as exact as a shorter time would claim. */
const minShownLeftMs = 5000

/**
 * Shows how far an open export is.
 *
 * @param ahead how many exports are ahead of a queued one
 * @param work undefined = another process does it, or nobody yet; then only what the job has is shown
 */
export function showWork(job: ExportJob, ahead: number, work: ExportWork | undefined): Markup {
  const { status, progress, pageCount } = job
  if (status === 'queued') {
    return html`<p>${texts.queueAhead(ahead)} ${texts.queueTurns}</p>`
  }
  return html`<div class="card">
<p class="figure">${texts.percent(progress)}</p>
<progress max="100" value="${progress}" aria-label="${texts.progress}">${texts.percent(progress)}</progress>
${factList(work ? listWork(work) : [[texts.facts.pages, pageCount]])}
</div>`
}

/** The stages that read the pages. The others count pages anew, so their numbers would seem to go back. */
const readingStages: readonly ExportWork['stage'][] = ['fetch', 'render']
/** The stages that open pages in a browser, some of them several times. */
const openingStages: readonly ExportWork['stage'][] = ['look', 'check']

function listWork({ stage, pagesDone, pagesKnown, pagesPerSecond, leftMs }: ExportWork): [string, Fragment][] {
  const { facts } = texts
  const now: [string, Fragment] = [facts.stage, texts.stages[stage]]
  const left: [string, Fragment] = [facts.left, leftMs !== null && describeLeft(leftMs)]
  if (openingStages.includes(stage)) return [now, [facts.opened, texts.openedOf(pagesDone, pagesKnown)], left]
  if (!readingStages.includes(stage)) return [now, left]
  return [
    now,
    [facts.pages, pagesKnown > 0 && texts.pagesOf(pagesDone, pagesKnown)],
    [
      facts.rate,
      pagesPerSecond === null ? texts.unknownYet : pagesPerSecond >= minShownRate && texts.rate(pagesPerSecond),
    ],
    left,
  ]
}

function describeLeft(leftMs: number): string {
  return leftMs < minShownLeftMs ? texts.fewSeconds : texts.about(describeDuration(leftMs))
}

/** Shows what was asked for, and when. */
export function showRequest(job: ExportJob): Markup {
  const { jobId, status, request, createdAt, updatedAt } = job
  const { version, paths, deployment, features, offlineSearch, format } = request
  const { facts } = texts
  const kept = allFeatures.filter(feature => features[feature]).map(feature => startTexts.features[feature])
  const hasEnded = status === 'completed' || status === 'failed'
  return html`<h2>${texts.settingsTitle}</h2>
${factList([
  [facts.id, html`<code>${jobId}</code> ${copyButton(jobId, { label: texts.copy, name: texts.copyId })}`],
  [facts.created, time(createdAt)],
  [facts.ended, hasEnded && time(updatedAt)],
  [facts.duration, hasEnded && texts.withQueue(describeDuration(updatedAt - createdAt))],
  [facts.version, version ?? texts.noVersion],
  [facts.paths, paths === null ? texts.wholeSite : showPaths(paths)],
  [facts.deployment, startTexts.deployments[deployment].label],
  [facts.features, kept.length === 0 ? texts.noFeature : kept.join(', ')],
  [facts.offlineSearch, offlineSearch ? texts.yes : texts.no],
  [facts.format, format],
])}`
}

const maxPaths = 20

function showPaths(paths: readonly string[]): Markup {
  const rest = paths.length - maxPaths
  return html`<ul class="tight">${paths.slice(0, maxPaths).map(path => html`<li><code>${path}</code></li>`)}${rest > 0 && html`<li>${texts.morePaths(rest)}</li>`}</ul>`
}
