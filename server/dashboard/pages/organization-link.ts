import type { Visit } from '../page.ts'

/** Links to a page of any organization. */
export function linkToOrganization(visit: Visit, organizationId: string, path: string): string {
  if (organizationId === visit.organization.id) return visit.link(path)
  return `${visit.link('')}../${organizationId}${path === '' ? '/' : path}`
}
