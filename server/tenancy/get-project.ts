import { CommandError } from '../base/operator-error.ts'
import type { Store } from '../store/store.ts'
import type { Project } from './project.ts'

/** @throws {CommandError} when there is none of this id. */
export async function getProject(store: Pick<Store, 'projects'>, id: string): Promise<Project> {
  const project = await store.projects.find(id)
  if (!project) throw new CommandError(`There is no project ${id}. See: quire projects list`)
  return project
}
