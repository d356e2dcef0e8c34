import { getByName } from './get-by-name.ts'
import type { Organization, Organizations } from './organization.ts'

/**
 * Returns the organization with this id or with this name.
 *
 * @throws {OperatorError} if there is none, or if several have the name.
 */
export async function getOrganization(
  store: { organizations: Organizations },
  idOrName: string,
): Promise<Organization> {
  const byId = await store.organizations.find(idOrName)
  return byId ?? getByName(await store.organizations.list(), idOrName, { noun: 'organization', list: 'orgs list' })
}
