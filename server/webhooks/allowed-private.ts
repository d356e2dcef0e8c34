import { type AddressRange, isInRanges, parseAddressRange } from '../base/address-range.ts'
import { isLocalHost } from '../web/fetch/address.ts'
import type { HostKind } from './webhook-url.ts'

/** Addresses in private networks to which webhooks may be sent, by the decision of the operator. */
export interface AllowedPrivate {
  /** Host names in lower case. */
  names: readonly string[]
  ranges: readonly AddressRange[]
}

/** Reads the setting: host names, addresses and ranges such as 10.0.0.0/8, separated by commas; undefined if one is none of these. */
export function parseAllowedPrivate(text: string): AllowedPrivate | undefined {
  const parts = text.split(',').flatMap(part => part.trim().toLowerCase() || [])
  const ranges = parts.flatMap(part => parseAddressRange(part) ?? [])
  const names = parts.filter(part => parseAddressRange(part) === undefined)
  return names.every(name => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) ? { names, ranges } : undefined
}

/** Judges a host by its name or address alone. */
export function judgeHost({ hostname }: URL, { names, ranges }: AllowedPrivate): HostKind {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (names.includes(host) || isInRanges(host, ranges)) return 'allowed'
  return isLocalHost(hostname) ? 'local' : 'public'
}
