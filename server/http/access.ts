import type { AnyRoute as Route } from '../../generated/operations.ts'
import type { Caller } from '../tenancy/api-key.ts'
import { includesStaticExport } from '../tenancy/organization.ts'
import { type RateLimits, takeRequest } from '../tenancy/rate-limit.ts'
import { areNarrow, findMissingScope } from '../tenancy/scope.ts'
import { HttpError } from './http-error.ts'

/**
 * Returns the caller if it may call the operation.
 *
 * @param caller undefined = the request has no valid key
 * @throws {HttpError} 401, or 403 for a scope or plan that the caller lacks.
 */
export function checkAccess<Known extends Caller>(route: Route, caller: Known | undefined): Known {
  if (!caller) throw unauthorized()
  const missing = findMissingScope(route.scopes, caller)
  if (missing)
    throw new HttpError(403, 'missing_scope', `This API key has no "${missing}" scope. Use a key that has it.`)
  if (route.plan === 'enterprise' && !includesStaticExport(caller.plan)) {
    throw new HttpError(
      403,
      'plan_required',
      'Static export needs the enterprise plan. The organization of this key has a different plan.',
    )
  }
  return caller
}

/** Whether the key may be in the address, for programs that cannot send headers: with log lines and page views. */
export function mayHaveKeyInAddress({ isRaw, scopes }: Route): boolean {
  return isRaw || scopes.includes('count')
}

/** @throws {HttpError} 403, because programs on the way log addresses. */
export function checkKeyInAddress({ scopes }: Pick<Caller, 'scopes'>): void {
  if (areNarrow(scopes)) return
  const message =
    'A key in the address must have no other scope than ingest or count. Create one with --scopes ingest or --scopes count.'
  throw new HttpError(403, 'key_in_address', message)
}

/**
 * Counts a request against the rate limit of its operation. Returns the headers for its answer.
 *
 * @throws {HttpError} 429, with the headers of its answer.
 */
export async function spendRequest(
  limits: RateLimits,
  { rateLimit }: Route,
  organizationId: string,
  now: () => number,
): Promise<Record<string, string>> {
  if (!rateLimit) return {}
  const { allowed, headers } = await takeRequest(limits, organizationId, rateLimit, now)
  if (allowed) return headers
  throw new HttpError(
    429,
    'rate_limited',
    `The organization has used its ${rateLimit.quota} analytics requests. Try again after ${headers['Retry-After']} seconds.`,
    headers,
  )
}

/** The same response for a missing, malformed, unknown, expired or revoked key (RFC 6750). */
function unauthorized(): HttpError {
  return new HttpError(
    401,
    'invalid_api_key',
    'A valid admin API key is required. Send it as: Authorization: Bearer <key>',
    {
      'WWW-Authenticate': 'Bearer',
    },
  )
}
