import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import type { ExportJob } from '../../export/jobs/export-job.ts'
import { findKeyState } from '../../tenancy/api-key.ts'
import type { Project } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { overviewTexts as texts } from '../texts/overview.ts'

type StepName = keyof typeof texts.steps

/** A step that a new organization takes, in order. */
export interface Step {
  name: StepName
  isDone: boolean
}

const paths: Record<StepName, string> = {
  project: '/projects',
  site: '/projects',
  key: '/keys#generate',
  export: '/exports',
  visitors: '/visitors',
}

/** Returns the first steps of an organization; none when it has a project, a site and a key. */
export async function findNextSteps(
  { organization, now }: Visit,
  { projects, exports }: { projects: readonly Project[]; exports: readonly ExportJob[] },
  { sites, apiKeys, visits }: Pick<DashboardDeps, 'sites' | 'apiKeys' | 'visits'>,
): Promise<Step[]> {
  const first = { contains: '', limit: 1, offset: 0 }
  const [ownSites, keys] = await Promise.all([sites.listPart(organization.id, first), apiKeys.list(organization.id)])
  const done = {
    project: projects.length > 0,
    site: ownSites.count > 0,
    key: keys.some(key => findKeyState(key, now) === 'active'),
  }
  if (done.project && done.site && done.key) return []
  return [
    { name: 'project', isDone: done.project },
    { name: 'site', isDone: done.site },
    { name: 'key', isDone: done.key },
    { name: 'export', isDone: exports.length > 0 },
    { name: 'visitors', isDone: await hasVisitors(projects, visits) },
  ]
}

async function hasVisitors(projects: readonly Project[], visits: DashboardDeps['visits']): Promise<boolean> {
  for (const { id } of projects) {
    try {
      const [totals] = await visits.countTotals(id, [{}])
      if (totals && totals.total > 0) return true
    } catch (error) {
      // There were visits, although they cannot be read now.
      if (error instanceof UnusableVisitsError) return true
      throw error
    }
  }
  return false
}

/** Lists the steps, and says which are done. */
export function showNextSteps(visit: Visit, steps: readonly Step[]): Markup | false {
  if (steps.length === 0) return false
  const items = steps.map(({ name, isDone }) => {
    const { name: label, hint: purpose } = texts.steps[name]
    const needsOperator = visit.person.organizationId !== null && (name === 'project' || name === 'site')
    const hint = needsOperator && !isDone ? `${purpose} ${texts.byOperator}` : purpose
    const state = isDone && html` <span class="state good">${texts.done}</span>`
    return html`<li><a href="${linkTo(visit, paths[name])}">${label}</a>${state}<p class="hint">${hint}</p></li>`
  })
  return html`<div class="card steps"><h2>${texts.firstSteps}</h2><p>${texts.firstStepsHint}</p><ol>${items}</ol></div>`
}

function linkTo(visit: Visit, path: string): string {
  const [page = '', fragment] = path.split('#')
  return visit.link(page) + (fragment === undefined ? '' : `#${fragment}`)
}
