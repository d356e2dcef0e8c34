import { getByName, getOnly } from './get-by-name.ts'
import type { Organization, Organizations } from './organization.ts'

const words = { noun: 'organization', list: 'orgs list', create: 'orgs create NAME', flag: '--org' }

/**
 * Returns the organization with this id or with this name; without either, the only organization.
 *
 * @throws {OperatorError} if there is none, or if there are several.
 */
export async function getOrganization(
  store: { organizations: Organizations },
  idOrName?: string,
): Promise<Organization> {
  if (idOrName === undefined) return getOnly(await store.organizations.list(), words)
  const byId = await store.organizations.find(idOrName)
  return byId ?? getByName(await store.organizations.list(), idOrName, words)
}
