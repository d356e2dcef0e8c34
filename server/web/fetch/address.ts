import ipaddr from 'ipaddr.js'

/** Public addresses that answer only inside a cloud, for its metadata and key services. */
const cloudInternal = new Set(['168.63.129.16'])

/** IPv6 ranges that contain an IPv4 address in their last 32 bits and route to it (RFC 4291, RFC 6052). */
const embedding = new Set(['ipv4Mapped', 'rfc6052'])

/** Names for people of the ranges that ipaddr.js names by identifiers. */
const rangeNames: Record<string, string> = {
  carrierGradeNat: 'carrier-grade NAT',
  deprecatedSiteLocal: 'site-local',
  linkLocal: 'link-local',
  rfc6052: 'NAT64',
  rfc6145: 'IPv4-translated',
  uniqueLocal: 'unique local',
}

/** Thrown when a connection is refused, because the host is not a public address or does not resolve to one. */
export class ForbiddenAddressError extends Error {
  readonly host: string
  constructor(host: string, why: string) {
    super(`${host} is not a public address (${why})`)
    this.name = 'ForbiddenAddressError'
    this.host = host
  }
}

/**
 * Explains why an export may not connect to this address. Returns null if it may. Only globally reachable addresses are
 * allowed. Loopback, private, link-local, shared (CGNAT), multicast, metadata, unique-local and all reserved ranges are
 * refused, also inside an IPv6 address that contains an IPv4 address. Text that is not an address is refused too.
 */
export function whyForbidden(address: string): string | null {
  const text = address.replace(/^\[|\]$/g, '')
  if (!ipaddr.isValid(text)) return 'not an address'
  const parsed = ipaddr.parse(text)
  if (parsed.kind() === 'ipv4') return whyForbiddenV4(parsed as ipaddr.IPv4)
  return whyForbiddenV6(parsed as ipaddr.IPv6)
}

/**
 * Returns whether a host is on this machine or in this network by its name alone: an address that is not public, a name
 * below localhost (RFC 6761, 6.3), or a name without a dot.
 */
export function isLocalHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(name)) return whyForbidden(name) !== null
  return /(^|\.)localhost\.?$/i.test(name) || (name !== '' && !name.includes('.'))
}

function whyForbiddenV4(address: ipaddr.IPv4): string | null {
  if (cloudInternal.has(address.toString())) return 'cloud metadata'
  const range = address.range()
  return range === 'unicast' ? null : (rangeNames[range] ?? range)
}

function whyForbiddenV6(address: ipaddr.IPv6): string | null {
  if (address.zoneId) return 'link-local'
  const range = address.range()
  // 64:ff9b:1::/48 is only for use inside one network (RFC 8215), so it is refused with any IPv4 address.
  const localTranslation = address.parts[0] === 0x64 && address.parts[1] === 0xff9b && address.parts[2] !== 0
  if (embedding.has(range) && !localTranslation) {
    return whyForbiddenV4(new ipaddr.IPv4(address.toByteArray().slice(12)))
  }
  if (range !== 'unicast') return rangeNames[range] ?? range
  // Global unicast is currently 2000::/3 (RFC 4291, IANA). Other ranges are not, such as the old IPv4-compatible
  // ::127.0.0.1.
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000 ? null : 'reserved'
}
