import type { IncomingMessage } from 'node:http'
import type { Client } from '../operations/client.ts'
import { type ApiKeys, hashKey, isWellFormedKey, type NamedCaller } from '../tenancy/api-key.ts'
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

/** What the headers and the connection of a request say. */
export interface Finders {
  findAddress: FindServerAddress
  /** Returns the IP address of the client. */
  findClient(req: IncomingMessage): string
}

/**
 * Creates the admission of the server. `authorize` checks the key (401), its scopes and the plan (403). `spend` counts an
 * authorized request against the rate limit of its operation (429), so refused requests do not count.
 */
export function createAdmission(
  { apiKeys, rateLimits, keyPrefix, now }: AdmitDeps,
  { findAddress, findClient }: Finders,
): Admission<Client> {
  return {
    async authorize(route, req) {
      const { keyName, last4, ...caller } = checkAccess(route, await authenticate(req.headers.authorization))
      const actor = `key ${keyName} (...${last4})`
      return { ...caller, actor, address: findAddress(req), ipAddress: findClient(req) }
    },
    async spend(route, { organizationId }, res) {
      if (route.rateLimit) res.set(await spendRequest(rateLimits, route, organizationId, now))
    },
  }

  async function authenticate(authorization: string | undefined): Promise<NamedCaller | undefined> {
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined || !isWellFormedKey(keyPrefix, key)) return undefined
    return apiKeys.authenticate(hashKey(key), now())
  }
}
