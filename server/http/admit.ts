import type { Client } from '../operations/client.ts'
import { type ApiKeys, type Caller, hashKey, isWellFormedKey } from '../tenancy/api-key.ts'
import type { RateLimits } from '../tenancy/rate-limit.ts'
import { checkAccess, spendRequest } from './access.ts'
import type { Admission } from './mount.ts'
import type { FindServerAddress } from './server-address.ts'

export interface AdmitDeps {
  apiKeys: ApiKeys
  rateLimits: RateLimits
  keyPrefix: string
  now(): number
}

/**
 * Creates the admission of the server. `authorize` checks the key (401), its scopes and the plan (403). `spend` counts an
 * authorized request against the rate limit of its operation (429), so refused requests do not count.
 */
export function createAdmission(
  { apiKeys, rateLimits, keyPrefix, now }: AdmitDeps,
  findAddress: FindServerAddress,
): Admission<Client> {
  return {
    async authorize(route, req) {
      const caller = checkAccess(route, await authenticate(req.headers.authorization))
      return { ...caller, address: findAddress(req) }
    },
    async spend(route, { organizationId }, res) {
      if (route.rateLimit) res.set(await spendRequest(rateLimits, route, organizationId, now()))
    },
  }

  async function authenticate(authorization: string | undefined): Promise<Caller | undefined> {
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined || !isWellFormedKey(keyPrefix, key)) return undefined
    return apiKeys.authenticate(hashKey(key), now())
  }
}
