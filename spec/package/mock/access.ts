import type { AnyRoute } from '../../../generated/operations.ts'
import { checkKeyInAddress, mayHaveKeyInAddress } from '../../../server/http/access.ts'
import type { Client } from '../../../server/operations/client.ts'

/** The organization of every key, and what it has. These are the ids of the examples of the document. */
export const world = {
  organizationId: 'org_4a1d9c0b7e5f2836',
  projectId: 'prj_5b1c2d3e4f506172',
  domain: 'docs.example.com',
}

/** Words in a key that make it another key. Every other key may do everything. */
const keyWords = {
  refused: ['invalid', 'wrong', 'unknown', 'expired', 'revoked'],
  'read-only': ['readonly', 'read-only'],
  'write-only': ['writeonly', 'write-only'],
  ingest: ['ingest'],
  count: ['count-views'],
  standard: ['standard'],
  other: ['other'],
}

/** The scope of a key that has only one. */
const onlyScopes = { 'read-only': 'read', 'write-only': 'write', ingest: 'ingest', count: 'count' } as const

/** The keys that are accepted besides the only one. */
const otherKeys = ['read-only', 'write-only', 'ingest', 'count-views', 'standard', 'other']

interface KeyPlace {
  baseUrl: string
  /** Undefined = every key is accepted. */
  onlyKey: string | undefined
}

/**
 * Returns the caller of a request; undefined = its key is refused.
 *
 * @throws {HttpError} 403 if its key is in the address and may do too much
 */
export function findClient(
  route: AnyRoute,
  { authorization, target }: { authorization: string | null; target: string },
  place: KeyPlace,
): Client | undefined {
  const mayBe = mayHaveKeyInAddress(route) && authorization === null
  const inAddress = mayBe ? new URLSearchParams(target.split('?')[1]).get('key') : null
  const client = findCaller(inAddress === null ? authorization : `Bearer ${inAddress}`, place)
  if (client && inAddress !== null) checkKeyInAddress(client)
  return client
}

function findCaller(authorization: string | null, { baseUrl, onlyKey }: KeyPlace): Client | undefined {
  const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (given === undefined) return undefined
  if (onlyKey !== undefined && given !== onlyKey && !otherKeys.includes(given)) return undefined
  const key = given === onlyKey ? '' : given.toLowerCase()
  const has = (kind: keyof typeof keyWords) =>
    keyWords[kind].some(word => new RegExp(`(^|[^a-z])${word}($|[^a-z])`).test(key))
  if (has('refused')) return undefined
  const narrow = (Object.keys(onlyScopes) as (keyof typeof onlyScopes)[]).find(has)
  return {
    keyId: 'key_0000000000000000',
    organizationId: has('other') ? 'org_0000000000000000' : world.organizationId,
    plan: has('standard') ? 'standard' : 'enterprise',
    scopes: narrow === undefined ? ['read', 'write'] : [onlyScopes[narrow]],
    projectIds: null,
    address: { url: baseUrl, isPublic: false },
    actor: 'mock',
    ipAddress: '127.0.0.1',
  }
}
