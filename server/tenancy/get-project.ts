import { OperatorError } from '../base/operator-error.ts'
import type { Project, Projects } from './project.ts'

/** @throws {OperatorError} if no project has this id. */
export async function getProject(store: { projects: Projects }, id: string): Promise<Project> {
  const project = await store.projects.find(id)
  if (!project) throw new OperatorError(`There is no project ${id}. See: quire projects list`)
  return project
}
