import { getByName } from './get-by-name.ts'
import type { Project, Projects } from './project.ts'

/**
 * Returns the project with this id or with this name.
 *
 * @throws {OperatorError} if there is none, or if several have the name.
 */
export async function getProject(store: { projects: Projects }, idOrName: string): Promise<Project> {
  const byId = await store.projects.find(idOrName)
  return byId ?? getByName(await store.projects.list(), idOrName, { noun: 'project', list: 'projects list' })
}
