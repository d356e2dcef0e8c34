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
 * The projects that a log tells the visits of.
 *
 * @param projectId undefined = those of the sites whose domains its hosts are
 * @throws {OperatorError} when there is no such project, or no site at all.
 */
export async function getVisitedProjects(
  store: Tenants,
  projectId: string | undefined,
): Promise<VisitedProject | ProjectsByHost> {
  if (projectId !== undefined) return getProject(store, projectId)
  const projects = await listProjectsByHost(store)
  if (projects.size > 0) return projects
  throw new OperatorError(
    'There is no site to match hosts with. Register one with: quire sites create DOMAIN --project ID',
  )
}

/** The projects of all sites as they are now, by domain. */
export async function listProjectsByHost(store: Tenants): Promise<ProjectsByHost> {
  const byId = new Map((await store.projects.list()).map(project => [project.id, project]))
  const sites = await store.sites.list()
  return new Map(
    sites.flatMap(({ domain, projectId }) => {
      const project = byId.get(projectId)
      return project ? [[domain, project] as const] : []
    }),
  )
}
