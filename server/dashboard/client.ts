import type { Client } from '../operations/client.ts'
import { describePerson } from '../tenancy/person.ts'
import type { Visit } from './page.ts'

/** The client of an operation that a person calls. People may do in their organization what a key with all scopes may do. */
export function toClient({ person, organization, server, ipAddress }: Visit): Client {
  return {
    keyId: person.id,
    organizationId: organization.id,
    plan: organization.plan,
    scopes: ['read', 'write'],
    projectIds: null,
    address: server,
    actor: describePerson(person),
    ipAddress,
  }
}
