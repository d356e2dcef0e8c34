import { getByName, getOnly } from './get-by-name.ts'
import type { Project, Projects } from './project.ts'

const words = {
  noun: 'project',
  list: 'projects list',
  create: 'projects create NAME',
  flag: '--project',
}

/**
 * Returns the project with this id or with this name; without either, the only project.
 *
 * @throws {OperatorError} if there is none, or if there are several.
 */
export async function getProject(store: { projects: Projects }, idOrName?: string): Promise<Project> {
  if (idOrName === undefined) return getOnly(await store.projects.list(), words)
  const byId = await store.projects.find(idOrName)
  return byId ?? getByName(await store.projects.list(), idOrName, words)
}
