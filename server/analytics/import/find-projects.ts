import { CommandError } from '../../base/operator-error.ts'
import type { Store } from '../../store/store.ts'
import { getProject } from '../../tenancy/get-project.ts'
import type { ProjectsByHost, VisitedProject } from './visited-projects.ts'

/**
 * The projects that a log tells the visits of.
 *
 * @param projectId undefined = those of the sites whose domains its hosts are
 * @throws {CommandError} when there is no such project, or no site at all.
 */
export async function getVisitedProjects(
  store: Pick<Store, 'projects' | 'sites'>,
  projectId: string | undefined,
): Promise<VisitedProject | ProjectsByHost> {
  if (projectId !== undefined) return getProject(store, projectId)
  const projects = await listProjectsByHost(store)
  if (projects.size > 0) return projects
  throw new CommandError(
    'There is no site to match hosts with. Register one with: quire sites create DOMAIN --project ID',
  )
}

/** The projects of all sites as they are now, by domain. */
export async function listProjectsByHost(store: Pick<Store, 'projects' | 'sites'>): Promise<ProjectsByHost> {
  const byId = new Map((await store.projects.list()).map(project => [project.id, project]))
  const sites = await store.sites.list()
  return new Map(
    sites.flatMap(({ domain, projectId }) => {
      const project = byId.get(projectId)
      return project ? [[domain, project] as const] : []
    }),
  )
}
