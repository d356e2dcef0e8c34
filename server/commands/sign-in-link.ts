import { dashboardPath } from '../dashboard/frame.ts'
import { toCommandEvent } from '../store/record-change.ts'
import type { Store } from '../store/store.ts'
import { createId } from '../tenancy/id.ts'
import type { Person } from '../tenancy/person.ts'
import { createSecret, hashSecret, signInLinkMs } from '../tenancy/sign-in.ts'

/** The name of an operator who gives none. */
export const operatorName = 'operator'

/** What people must know of a link, for the end of a sentence. */
export const linkTerms = `works once, for ${signInLinkMs / 60_000} minutes`

export interface SignInLink {
  url: string
  expiresAt: number
  person: Person
}

export interface SignInWish {
  /** Null = an operator. */
  organizationId: string | null
  name: string
  /** Where clients reach the server, without a trailing slash. */
  baseUrl: string
}

/** Creates a one-time link to the dashboard. Adds the person if the organization has none of this name. */
export async function createSignInLink(
  { atomically }: Pick<Store, 'atomically'>,
  { organizationId, name, baseUrl }: SignInWish,
): Promise<SignInLink> {
  const secret = createSecret()
  const now = Date.now()
  const expiresAt = now + signInLinkMs
  const person = await atomically(function* ({ people, signInLinks, auditLog }) {
    const known = yield* people.findNamed(organizationId, name)
    const person = known ?? { id: createId('usr'), organizationId, name, createdAt: now }
    const event = { subject: person.id, organizationId, detail: name }
    if (!known) {
      yield* people.insert(person)
      yield* auditLog.append(toCommandEvent({ action: 'person.added', ...event }))
    }
    yield* signInLinks.insert({ tokenSha256: hashSecret(secret), personId: person.id, createdAt: now, expiresAt })
    yield* auditLog.append(toCommandEvent({ action: 'sign-in-link.created', ...event }))
    return person
  })
  return { url: `${baseUrl}${dashboardPath}/sign-in?token=${secret}`, expiresAt, person }
}
