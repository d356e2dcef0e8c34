import { OperatorError } from '../../base/operator-error.ts'
import { getProject } from '../../tenancy/get-project.ts'
import type { Projects } from '../../tenancy/project.ts'
import type { Sites } from '../../tenancy/site.ts'
import type { ProjectsByHost, VisitedProject } from './visited-projects.ts'

interface Tenants {
  projects: Projects
  sites: Sites
}

/**
 * Returns the project of a log's visits, or the projects by host.
 *
 * @param projectId undefined = the project of each line is found by its host
 * @throws {OperatorError} when the project does not exist, or no site is registered.
 */
export async function getVisitedProjects(
  store: Tenants,
  projectId: string | undefined,
): Promise<VisitedProject | ProjectsByHost> {
  if (projectId !== undefined) return getProject(store, projectId)
  const projects = await listProjectsByHost(store)
  if (projects.size > 0) return projects
  throw new OperatorError(
    'No site is registered, so hosts cannot be matched. Register one with: npx quire sites create DOMAIN --project ID',
  )
}

/**
 * Lists the current projects of all sites, by domain.
 *
 * @param organizationId only of this organization
 */
export async function listProjectsByHost(store: Tenants, organizationId?: string): Promise<ProjectsByHost> {
  const byId = new Map((await store.projects.list(organizationId)).map(project => [project.id, project]))
  const sites = await store.sites.list(organizationId)
  return new Map(
    sites.flatMap(({ domain, projectId }) => {
      const project = byId.get(projectId)
      return project ? [[domain, project] as const] : []
    }),
  )
}
