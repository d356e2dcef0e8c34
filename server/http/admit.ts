import type { Client } from '../operations/client.ts'
import { type ApiKeys, type Caller, hashKey, isWellFormedKey } from '../tenancy/api-key.ts'
import { type RateLimits, takeRequest } from '../tenancy/rate-limit.ts'
import { HttpError } from './http-error.ts'
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
      const caller = await authenticate(req.headers.authorization)
      if (!caller) throw unauthorized()
      const missing = route.scopes.find(scope => !caller.scopes.includes(scope))
      if (missing) throw new HttpError(403, `This API key has no "${missing}" scope. Use a key that has it.`)
      if (route.plan === 'enterprise' && caller.plan !== 'enterprise') {
        throw new HttpError(
          403,
          'Static export needs the enterprise plan. The organization of this key has a different plan.',
        )
      }
      return { ...caller, address: findAddress(req) }
    },
    async spend({ rateLimit }, { organizationId }, res) {
      if (!rateLimit) return
      const { allowed, headers } = await takeRequest(rateLimits, organizationId, rateLimit, now())
      res.set(headers)
      if (!allowed) {
        throw new HttpError(
          429,
          `The organization has used its ${rateLimit.quota} analytics requests. Try again after ${headers['Retry-After']} seconds.`,
        )
      }
    },
  }

  async function authenticate(authorization: string | undefined): Promise<Caller | undefined> {
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined || !isWellFormedKey(keyPrefix, key)) return undefined
    return apiKeys.authenticate(hashKey(key), now())
  }
}

/** The same response for a missing, malformed, unknown, expired or revoked key (RFC 6750). */
function unauthorized(): HttpError {
  return new HttpError(401, 'A valid admin API key is required. Send it as: Authorization: Bearer <key>', {
    'WWW-Authenticate': 'Bearer',
  })
}
