import { OperatorError } from '../../base/operator-error.ts'
import { createId } from '../../tenancy/id.ts'
import { readName } from '../../tenancy/name.ts'
import { newVisitorRules, type Project } from '../../tenancy/project.ts'
import { countRules } from '../../tenancy/removal-rules.ts'
import { describeOrigin, parseDomain, parseOrigin, type Site } from '../../tenancy/site.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { projectSettingsPath } from '../paths.ts'
import { siteTexts as texts } from '../texts/sites.ts'
import { askForProject, askForSite } from './ask-operator.ts'
import { frameLongList, readLongList } from './long-list.ts'
import { findTypedProject, listProjectChoices, projectField } from './project-choice.ts'

/** What was typed into the forms of the page, and what is wrong with it. */
interface Typed {
  values: Partial<Record<'name' | 'domain' | 'project' | 'origin', string>>
  problems: Partial<Record<'name' | 'domain' | 'project' | 'origin', string>>
}

const nothing: Typed = { values: {}, problems: {} }

/** The projects of an organization and their sites. */
export const projectsPage: PageDefinition = {
  section: 'projects',
  path: '/projects',
  show: async (visit, deps) => ({ title: texts.title, content: await showProjects(visit, deps, nothing) }),
  actions: { create: createProject, 'create-site': createSite },
}

/** Operators may change what could reach private addresses; to members such forms do not exist. */
export function requireOperator({ person }: Visit): void {
  if (person.organizationId !== null) throw new PageNotFound()
}

export function isOperator({ person }: Visit): boolean {
  return person.organizationId === null
}

async function createProject(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  requireOperator(visit)
  const typed = visit.form.get('name') ?? ''
  let name: string
  try {
    name = readName(typed)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return refuse(visit, deps, { values: { name: typed }, problems: { name: error.message } })
  }
  const project: Project = {
    id: createId('prj'),
    organizationId: visit.organization.id,
    name,
    visitorSaltRotation: 'never',
    visitorRules: newVisitorRules,
    createdAt: visit.now,
  }
  const isNew = await visit.record(
    { action: 'project.created', subject: project.id, detail: name },
    function* ({ projects }) {
      if (yield* projects.findNamed(project.organizationId, name)) return false
      yield* projects.insert(project)
      return true
    },
  )
  if (!isNew) return refuse(visit, deps, { values: { name: typed }, problems: { name: texts.nameTaken } })
  return { leadTo: '/projects', notice: 'project-created' }
}

async function createSite(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  requireOperator(visit)
  const read = (name: string) => (visit.form.get(name) ?? '').trim()
  const values = { domain: read('domain'), project: read('project'), origin: read('origin') }
  const domain = parseDomain(values.domain)
  const origin = values.origin === '' ? null : parseOrigin(values.origin)
  const project = await findTypedProject(visit, deps, values.project)
  const problems: Typed['problems'] = {}
  if (domain === undefined) problems.domain = texts.domainInvalid
  else if (await deps.sites.find(domain)) problems.domain = texts.domainTaken
  if (origin === undefined) problems.origin = texts.originInvalid
  if (!project) problems.project = texts.projectUnknown
  if (domain === undefined || origin === undefined || !project || Object.keys(problems).length > 0) {
    return refuse(visit, deps, { values, problems })
  }
  const site = { domain, projectId: project.id, origin, createdAt: visit.now }
  const isNew = await visit.record(
    { action: 'site.created', subject: domain, detail: describeOrigin(site) },
    function* (nouns) {
      if (yield* nouns.sites.find(domain)) return false
      yield* nouns.sites.insert(site)
      return true
    },
  )
  if (!isNew) return refuse(visit, deps, { values, problems: { domain: texts.domainTaken } })
  return { leadTo: `/projects/sites/${domain}`, notice: 'site-created' }
}

async function refuse(visit: Visit, deps: DashboardDeps, typed: Typed): Promise<Answer> {
  return { title: texts.title, status: 400, content: await showProjects(visit, deps, typed) }
}

async function showProjects(visit: Visit, deps: DashboardDeps, typed: Typed): Promise<Markup> {
  const { id } = visit.organization
  const path = '/projects'
  const projects = await readLongList(visit, 'projects', part => deps.projects.listPart(id, part))
  const rows = await Promise.all(projects.rows.map(async row => ({ ...row, sites: await deps.sites.count(row.id) })))
  const sites = await readLongList(visit, 'sites', part => deps.sites.listPart(id, part))
  const noSites = isOperator(visit) ? texts.noSites : html`${texts.noSitesForMember} ${await askForSite(visit, deps)}`
  return html`<p>${texts.intro}</p>
<h2>${texts.projectsTitle}</h2>
${frameLongList(visit, projects, { path, caption: texts.projectsTitle, label: texts.findProject, table: projectTable(visit, rows) })}
<h2>${texts.sitesTitle}</h2>
${frameLongList(visit, sites, { path, caption: texts.sitesTitle, label: texts.findSite, table: siteTable(visit, sites.rows, noSites) })}
${isOperator(visit) ? await newForms(visit, deps, typed) : html`<p class="quiet">${texts.operatorOnly}</p>`}`
}

function projectTable(visit: Visit, projects: readonly (Project & { sites: number })[]): Markup {
  const { projectColumns } = texts
  return table(projects, {
    caption: texts.projectsTitle,
    empty: isOperator(visit) ? texts.noProjects : html`${texts.noProjectsForMember} ${askForProject(visit)}`,
    columns: [
      { heading: projectColumns.name, show: ({ name }) => name },
      {
        heading: projectColumns.id,
        show: ({ id, name }) =>
          html`<code>${id}</code> ${copyButton(id, { label: texts.copy, name: texts.copyId(name) })}`,
      },
      { heading: projectColumns.sites, isNumber: true, show: ({ sites }) => sites },
      { heading: projectColumns.created, show: ({ createdAt }) => timeAgo(createdAt, visit.now) },
      {
        heading: projectColumns.pages,
        show: ({ id, name }) =>
          html`<a href="${visit.link('/visitors')}?project=${id}">${texts.seeVisitors}<span class="unseen"> ${name}</span></a>,
<a href="${visit.link('/agent-jobs')}?project=${id}">${texts.seeJobs}<span class="unseen"> ${name}</span></a>,
<a href="${visit.link(projectSettingsPath(id))}">${texts.seeSettings}<span class="unseen"> ${name}</span></a>`,
      },
    ],
  })
}

function siteTable(visit: Visit, sites: readonly (Site & { projectName: string })[], empty: Fragment): Markup {
  const { siteColumns } = texts
  return table(sites, {
    caption: texts.sitesTitle,
    empty,
    columns: [
      {
        heading: siteColumns.domain,
        show: ({ domain }) => html`<a href="${visit.link(`/projects/sites/${domain}`)}">${domain}</a>`,
      },
      { heading: siteColumns.project, isText: true, show: ({ projectName }) => projectName },
      { heading: siteColumns.origin, isText: true, show: ({ domain, origin }) => origin ?? `https://${domain}/` },
      { heading: siteColumns.rules, isNumber: true, show: ({ removal }) => (removal ? countRules(removal) : 0) },
    ],
  })
}

async function newForms(visit: Visit, deps: DashboardDeps, { values, problems }: Typed): Promise<Markup> {
  const choices = await listProjectChoices(visit, deps)
  return html`<h2>${texts.newProjectTitle}</h2>
<form method="post" action="${visit.link('/projects/create')}" class="card">
${tokenField(visit)}
${textField({ label: texts.projectName, name: 'name', value: values.name ?? '', hint: texts.projectNameHint, problem: problems.name, required: true, maxLength: 100 })}
<p><button class="main">${texts.newProject}</button></p>
</form>
<h2 id="new-site">${texts.newSiteTitle}</h2>
${
  choices.count === 0
    ? html`<p class="empty">${texts.newSiteNeedsProject}</p>`
    : html`<form method="post" action="${visit.link('/projects/create-site')}" class="card">
${tokenField(visit)}
${textField({ label: texts.domain, name: 'domain', value: values.domain ?? '', hint: texts.domainHint, problem: problems.domain, required: true, maxLength: 253 })}
${projectField(choices, { value: values.project, problem: problems.project })}
${textField({ label: texts.origin, name: 'origin', value: values.origin ?? '', hint: texts.originHint, problem: problems.origin })}
<p><button class="main">${texts.newSite}</button></p>
</form>`
}`
}
