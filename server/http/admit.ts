import type { RequestHandler } from 'express'
import type { Route } from '../../generated/operations.ts'
import { type ApiKeys, type Caller, hashKey, isWellFormedKey } from '../tenancy/api-key.ts'
import { type RateLimits, takeRequest } from '../tenancy/rate-limit.ts'
import { HttpError } from './errors.ts'

export interface AdmitDeps {
  apiKeys: ApiKeys
  rateLimits: RateLimits
  keyPrefix: string
  now(): number
}

/**
 * Checks that a request may call its operation: the key (401), its scopes and the plan (403). Sets `res.locals.caller`. Refused
 * requests do not count against the rate limit, which is checked afterwards.
 */
export function authorize(route: Route, { apiKeys, keyPrefix, now }: AdmitDeps): RequestHandler {
  return async (req, res, next) => {
    res.locals.operationId = route.operationId
    const caller = await authenticate(req.headers.authorization)
    if (!caller) throw unauthorized()
    res.locals.caller = caller
    const missing = route.scopes.find(scope => !caller.scopes.includes(scope))
    if (missing) throw new HttpError(403, `This API key has no "${missing}" scope. Use a key that has it.`)
    if (route.plan === 'enterprise' && caller.plan !== 'enterprise') {
      throw new HttpError(
        403,
        'Static export needs the enterprise plan. The organization of this key has a different plan.',
      )
    }
    next()
  }

  async function authenticate(authorization: string | undefined): Promise<Caller | undefined> {
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (key === undefined || !isWellFormedKey(keyPrefix, key)) return undefined
    return apiKeys.authenticate(hashKey(key), now())
  }
}

/**
 * Counts an authorized request against the rate limit of its operation (429).
 *
 * Runs before the validator, whose security handlers would turn a 429 into a 500.
 */
export function spendBudget({ rateLimit }: Route, { rateLimits, now }: AdmitDeps): RequestHandler {
  return async (_req, res, next) => {
    if (rateLimit) {
      const { organizationId } = res.locals.caller as Caller
      const { allowed, headers } = await takeRequest(rateLimits, organizationId, rateLimit, now())
      res.set(headers)
      if (!allowed) {
        throw new HttpError(
          429,
          `The organization has used its ${rateLimit.quota} analytics requests. Try again after ${headers['Retry-After']} seconds.`,
        )
      }
    }
    next()
  }
}

/** The same response for a missing, malformed, unknown, expired or revoked key (RFC 6750). */
function unauthorized(): HttpError {
  return new HttpError(401, 'A valid admin API key is required. Send it as: Authorization: Bearer <key>', {
    'WWW-Authenticate': 'Bearer',
  })
}
