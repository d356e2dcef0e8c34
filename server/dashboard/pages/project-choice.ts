import type { Project } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import { PageNotFound, type Visit } from '../page.ts'
import { selectField, textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'

/** More choices are not put into one select: a browser takes seconds for thousands, and nobody finds one among them. */
export const maxChoices = 200

/** The projects to choose from, and how many there are; more than `maxChoices` are not all in `rows`. */
export async function listProjectChoices({ organization }: Visit, { projects }: Pick<DashboardDeps, 'projects'>) {
  return projects.listPart(organization.id, { contains: '', limit: maxChoices, offset: 0 })
}

type ProjectChoices = Awaited<ReturnType<typeof listProjectChoices>>

/** The project that the address asks for, or the first one; undefined if there is none. */
export async function findShownProject(
  { organization, query }: Visit,
  { projects }: Pick<DashboardDeps, 'projects'>,
  choices: ProjectChoices,
): Promise<Project | undefined> {
  const wanted = query.get('project')
  if (wanted === null) return choices.rows[0]
  const listed = choices.rows.find(({ id }) => id === wanted)
  const project = listed ?? (await projects.findOwned(organization.id, wanted))
  if (!project) throw new PageNotFound()
  return project
}

/** Finds a project by its id, or by its name if no other project has it. */
export async function findTypedProject(
  { organization }: Visit,
  { projects }: Pick<DashboardDeps, 'projects'>,
  typed: string,
): Promise<Project | undefined> {
  const byId = await projects.findOwned(organization.id, typed)
  if (byId) return byId
  const named: Project[] = []
  for (let offset = 0, count = 1; offset < count; offset += maxChoices) {
    const part = await projects.listPart(organization.id, { contains: typed, limit: maxChoices, offset })
    named.push(...part.rows.filter(({ name }) => name === typed))
    count = part.count
  }
  return named.length === 1 ? named[0] : undefined
}

/** The field of a page that shows one project. With very many, it leads to the list, which can be searched. */
export function projectChooser(visit: Visit, { rows, count }: ProjectChoices, { id, name }: Project): Markup {
  const hidden = html`<input type="hidden" name="project" value="${id}">`
  if (count <= 1) return hidden
  if (count > maxChoices) {
    return html`${hidden}<p class="field">${texts.project}: <strong>${name}</strong>
<a href="${visit.link('/projects')}">${texts.another}</a></p>`
  }
  const choices = rows.map(row => [row.id, row.name] as const)
  return selectField({ label: texts.project, name: 'project', value: id, choices })
}

/**
 * The form that shows a page for another project; none if there is only one.
 *
 * @param fields what else it sends
 */
export function projectForm(
  visit: Visit,
  choices: ProjectChoices,
  { project, path, fields }: { project: Project; path: string; fields?: Fragment },
): Markup | false {
  if (choices.count <= 1) return false
  return html`<form method="get" action="${visit.link(path)}" class="tools">
${projectChooser(visit, choices, project)}${fields}
${choices.count <= maxChoices && html`<button>${texts.show}</button>`}</form>`
}

/** The field of a form about one project. With very many, the project is typed. */
export function projectField(
  { rows, count }: ProjectChoices,
  { value, problem }: { value: string | undefined; problem: string | undefined },
): Markup {
  const field = { label: texts.project, name: 'project', problem }
  if (count > maxChoices) return textField({ ...field, value: value ?? '', hint: texts.typedHint, required: true })
  return selectField({ ...field, value: value ?? rows[0]?.id ?? '', choices: rows.map(row => [row.id, row.name]) })
}

/** Texts of fields that choose a project. */
const texts = {
  project: 'Project',
  show: 'Show',
  another: 'Choose another project',
  typedHint: 'Its name or its id, as in the list of projects.',
}
