import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import type { AnyRoute as Route } from '../../generated/operations.ts'
import { isInRanges, parseAddressRange } from '../base/address-range.ts'
import type { Client } from '../operations/client.ts'
import { type ApiKeys, hashKey, isWellFormedKey, type NamedCaller } from '../tenancy/api-key.ts'
import type { RateLimits } from '../tenancy/rate-limit.ts'
import { checkAccess, checkKeyInAddress, mayHaveKeyInAddress, spendRequest } from './access.ts'
import { HttpError } from './http-error.ts'
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
 * Creates the admission of the server. `authorize` checks the key (401), the address of the client, the scopes and the plan (403).
 * `spend` counts an authorized request against the rate limit of its operation (429), so refused requests do not count.
 */
export function createAdmission(
  { apiKeys, rateLimits, keyPrefix, now }: AdmitDeps,
  { findAddress, findClient }: Finders,
): Admission<Client> {
  return {
    async authorize(route, req) {
      const keyInAddress = findKeyInAddress(route, req)
      const known = await authenticate(req.headers.authorization ?? keyInAddress)
      if (known && keyInAddress !== undefined) checkKeyInAddress(known)
      const ipAddress = findClient(req)
      if (known) checkAddress(known, ipAddress)
      const { keyName, last4, allowedAddresses: _, ...caller } = checkAccess(route, known)
      const actor = `key ${keyName} (...${last4})`
      return { ...caller, actor, address: findAddress(req), ipAddress }
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

/** Returns the key of a program that cannot send headers, as a value of Authorization. */
function findKeyInAddress(route: Route, { headers, query: { key } }: Request): string | undefined {
  return mayHaveKeyInAddress(route) && headers.authorization === undefined && typeof key === 'string'
    ? `Bearer ${key}`
    : undefined
}

/**
 * Checks that a key may be used from the address of the client.
 *
 * @throws {HttpError} 403
 */
function checkAddress({ allowedAddresses }: NamedCaller, address: string): void {
  if (allowedAddresses.length === 0) return
  const ranges = allowedAddresses.flatMap(text => parseAddressRange(text) ?? [])
  if (isInRanges(address, ranges)) return
  throw new HttpError(
    403,
    'address_not_allowed',
    `This API key may not be used from ${address}. Use it from an address that it allows, or create a key that allows this one.`,
  )
}
