import type { Store } from '../store/store.ts'
import { getOrganization } from '../tenancy/get-organization.ts'

/** Returns the id of the organization that `--org` names; undefined = all organizations. */
export async function findOrganizationId(
  store: Pick<Store, 'organizations'>,
  { org }: { org?: string },
): Promise<string | undefined> {
  return org === undefined ? undefined : (await getOrganization(store, org)).id
}
