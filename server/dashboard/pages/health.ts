import { stat, statfs } from 'node:fs/promises'
import { basename } from 'node:path'
import { isBucketAddress } from '../../analytics/import/log-bucket.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import { budgets as knownBudgets } from '../../http/routes.ts'
import type { Project } from '../../tenancy/project.ts'
import type { Budget } from '../../tenancy/rate-limit.ts'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { timeAgo } from '../parts/time.ts'
import { whileRenewed } from '../renewal.ts'
import { healthTexts as texts } from '../texts/health.ts'
import { showBytes } from '../texts/numbers.ts'

const renewMs = 10_000

/** The state of the server. The overview shows only what needs attention. */
export const healthPage: PageDefinition = { section: 'health', path: '/health', show }

async function show(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const health = await readHealth(visit, deps, deps.projects.list(visit.organization.id))
  const content = html`<div id="health" data-live="${renewMs}">
${showHealth(health, visit.now)}
</div>
${whileRenewed(texts.renewed)}`
  return { title: texts.title, content }
}

/** As `npx quire doctor` judges: below the first, an export or an import can fill the disk within minutes. */
const littleBytes = 2048 * 1024 ** 2
const fullBytes = 256 * 1024 ** 2

/** The state of the server, and of the organization in it. */
export interface Health {
  freeBytes: number
  isWritable: boolean
  hasBrowser: boolean
  openExports: { queued: number; running: number }
  budgets: (Budget & { used: number })[]
  /** The followed logs that the person may know. `writtenAt` is null if the file is missing. */
  logs: { name: string; writtenAt: number | null }[]
}

/**
 * Reads the state now. It spends nothing of the rate limits.
 *
 * @param projects those of the organization
 */
export async function readHealth(
  visit: Visit,
  deps: DashboardDeps,
  projects: Awaitable<readonly Project[]>,
): Promise<Health> {
  const { organization, now } = visit
  const [disk, isWritable, openExports, budgets, logs] = await Promise.all([
    statfs(deps.dataFolder),
    canWrite(deps, now),
    deps.exportJobs.countOpen(organization.id),
    Promise.all(
      knownBudgets.map(async budget => ({
        ...budget,
        used: (await deps.rateLimits.findUsage(organization.id, budget, now)).used,
      })),
    ),
    listLogs(visit, deps, projects),
  ])
  const freeBytes = disk.bavail * disk.bsize
  return { freeBytes, isWritable, hasBrowser: findBrowser() !== null, openExports, budgets, logs }
}

async function canWrite({ check }: Pick<DashboardDeps, 'check'>, now: number): Promise<boolean> {
  try {
    await check(now)
    return true
  } catch {
    return false
  }
}

/** Operators see all log files with their paths; members see the names of those of their projects. */
async function listLogs(
  { person }: Visit,
  { followedLogs }: Pick<DashboardDeps, 'followedLogs'>,
  projects: Awaitable<readonly Project[]>,
): Promise<Health['logs']> {
  const isOperator = person.organizationId === null
  const own = new Set((await projects).map(({ id }) => id))
  const visible = followedLogs.filter(
    ({ file, projectId }) => !isBucketAddress(file) && (isOperator || (projectId !== undefined && own.has(projectId))),
  )
  return Promise.all(
    visible.map(async ({ file }) => ({
      name: isOperator ? file : basename(file),
      writtenAt: await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      ),
    })),
  )
}

/** Lists what needs attention, each with what to do. */
export function listProblems({ freeBytes, isWritable, hasBrowser, budgets, logs }: Health): string[] {
  const disk = findDiskState(freeBytes)
  const used = budgets.filter(({ used, quota }) => used >= quota)
  const missing = logs.filter(({ writtenAt }) => writtenAt === null)
  return [
    ...(disk === 'good'
      ? []
      : [`${texts.diskProblem(texts.diskStates[disk], showBytes(freeBytes))} ${texts.diskRemedy}`]),
    ...(isWritable ? [] : [`${texts.databaseProblem} ${texts.databaseRemedy}`]),
    ...(hasBrowser ? [] : [`${texts.browserProblem} ${texts.browserRemedy(installCommand())}`]),
    ...used.map(({ budget, windowSeconds }) =>
      texts.budgetProblem(texts.budgets[budget] ?? budget, windowSeconds / 60),
    ),
    ...missing.map(({ name }) => texts.logProblem(name)),
  ]
}

function findDiskState(freeBytes: number): 'good' | 'warn' | 'bad' {
  if (freeBytes < fullBytes) return 'bad'
  return freeBytes < littleBytes ? 'warn' : 'good'
}

/** Shows a card for each part of the state, with what to do if it is bad. */
function showHealth({ freeBytes, isWritable, hasBrowser, openExports, budgets, logs }: Health, now: number): Markup {
  const disk = findDiskState(freeBytes)
  const database = isWritable ? 'good' : 'bad'
  const browser = hasBrowser ? 'good' : 'bad'
  return html`<ul class="cards">
<li><h2>${texts.disk}</h2><span class="figure">${texts.free(showBytes(freeBytes))}</span>
${stateBadge(disk, texts.diskStates[disk])}<p class="hint">${disk === 'good' ? texts.diskHint : texts.diskRemedy}</p></li>
<li><h2>${texts.database}</h2>${stateBadge(database, texts.databaseStates[database])}${!isWritable && html`<p class="hint">${texts.databaseRemedy}</p>`}</li>
<li><h2>${texts.browser}</h2>${stateBadge(browser, texts.browserStates[browser])}
<p class="hint">${hasBrowser ? texts.browserHint : texts.browserRemedy(installCommand())}</p></li>
<li><h2>${texts.exports}</h2><span>${texts.openExports(openExports.running, openExports.queued)}</span></li>
${budgets.map(showBudget)}
${logs.length > 0 && showLogs(logs, now)}
</ul>`
}

function showBudget({ budget, quota, windowSeconds, used }: Health['budgets'][number]): Markup {
  const name = texts.budget(texts.budgets[budget] ?? budget)
  return html`<li><h2>${name}</h2><span class="figure">${texts.used(used, quota)}</span>
<meter min="0" max="${quota}" value="${used}" aria-label="${name}"></meter>
<p class="hint">${texts.usedHint(windowSeconds / 60)}</p></li>`
}

function showLogs(logs: Health['logs'], now: number): Markup {
  const items = logs.map(({ name, writtenAt }) => {
    const written =
      writtenAt !== null && html` <span class="hint">${texts.lastWritten} ${timeAgo(writtenAt, now)}</span>`
    const kind = writtenAt === null ? 'bad' : 'good'
    return html`<li><code>${name}</code> ${stateBadge(kind, texts.logStates[kind])}${written}</li>`
  })
  return html`<li><h2>${texts.logs}</h2><ul class="plain">${items}</ul></li>`
}
