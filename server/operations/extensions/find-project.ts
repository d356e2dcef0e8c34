import type { Project } from '../../tenancy/project.ts'
import type { Client } from '../client.ts'
import type { ExtensionDeps } from './deps.ts'

/** Finds a project that the caller may use: one of its organization, and one that its key names if it names any. */
export async function findProject(
  { projects }: Pick<ExtensionDeps, 'projects'>,
  { organizationId, projectIds }: Client,
  projectId: string,
): Promise<Project | undefined> {
  const mayUse = projectIds === null || projectIds.includes(projectId)
  return mayUse ? projects.findOwned(organizationId, projectId) : undefined
}
