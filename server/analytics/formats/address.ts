import { isIPv4 } from 'node:net'

/** The number of leading bits of an IPv6 address that identify a visitor. */
export type Ipv6Prefix = 64 | 128

/** What a log writes around an address. */
export type AddressPart = 'brackets' | 'port' | 'zone'

const maxAddressLength = 128
const dot = 0x2e
const colon = 0x3a
const zero = 0x30
const nine = 0x39

/**
 * Returns the end of the IPv4 address at `start`, such as `203.0.113.9`; -1 when there is none. Accepts what `isIPv4` of
 * node:net accepts: four numbers up to 255 without leading zeros.
 */
export function findIpv4End(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  let dots = 0
  /** -1 = the number has no digit yet. */
  let value = -1
  for (; at < end; at++) {
    const byte = bytes[at] as number
    if (byte >= zero && byte <= nine) {
      if (value === 0) return -1
      value = value === -1 ? byte - zero : value * 10 + byte - zero
      if (value > 255) return -1
    } else {
      if (byte !== dot || dots === 3 || value === -1) break
      dots++
      value = -1
    }
  }
  return dots === 3 && value !== -1 ? at : -1
}

/** Returns whether a colon and a number of one to five digits fill the bytes from `start` up to `end`. */
export function isPort(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] !== colon || end - start < 2 || end - start > 6) return false
  for (let i = start + 1; i < end; i++) {
    const digit = (bytes[i] as number) - zero
    if (digit < 0 || digit > 9) return false
  }
  return true
}

/** Splits an address such as `[fe80::1%eth0]:443` into the bare text and the parts around it; it may not be an address. */
export function stripAddress(text: string): { bare: string; stripped: AddressPart[] } {
  const stripped: AddressPart[] = []
  let bare = text
  const [, inside, port] = /^\[([^\]]*)\](:\d{1,5})?$/.exec(text) ?? []
  if (inside !== undefined) {
    bare = inside
    stripped.push('brackets')
    if (port !== undefined) stripped.push('port')
  } else if (/^[\d.]+:\d{1,5}$/.test(text)) {
    bare = text.slice(0, text.indexOf(':'))
    stripped.push('port')
  }
  const [, address, zone] = /^([^%]*)%([^%]+)$/.exec(bare) ?? []
  if (!address?.includes(':') || zone === undefined) return { bare, stripped }
  return { bare: address, stripped: [...stripped, 'zone'] }
}

/** Removes what `stripAddress` strips. */
export function bareAddress(text: string): string {
  return stripAddress(text).bare
}

/**
 * Converts an IPv4 or IPv6 address to its canonical text, so that different spellings are one visitor. Removes brackets,
 * port and zone. IPv6 is written as in RFC 5952, and an IPv4-mapped address such as `::ffff:203.0.113.9` is the IPv4
 * address.
 *
 * @param ipv6Prefix 64 = the last 64 bits of an IPv6 address become zero, because one subscriber has them all
 * @returns undefined when the text is not an address
 */
export function toCanonicalAddress(text: string, ipv6Prefix: Ipv6Prefix = 128): string | undefined {
  if (text.length > maxAddressLength) return undefined
  if (isIPv4(text)) return text
  const bare = bareAddress(text)
  if (isIPv4(bare)) return bare
  const groups = parseIpv6(bare)
  if (!groups) return undefined
  if (isMapped(groups)) return formatIpv4(groups)
  return formatIpv6(ipv6Prefix === 64 ? groups.map((group, i) => (i < 4 ? group : 0)) : groups)
}

/**
 * Returns the client from a list written by proxies, such as `client, proxy, proxy`, as `toCanonicalAddress` does. Each
 * proxy appends the address of its peer. Clients can forge entries on the left, unless the first proxy discards the list
 * it receives.
 *
 * @param trustedProxies number of trusted proxies in front of the server: the client is the entry with this number,
 * counted from the right; undefined = the leftmost valid address is the client
 * @returns undefined when that entry is not a valid address
 */
export function findClient(
  list: string,
  trustedProxies: number | undefined,
  ipv6Prefix: Ipv6Prefix = 128,
): string | undefined {
  const entries = list.split(',')
  if (trustedProxies === undefined) {
    for (const entry of entries) {
      const address = toCanonicalAddress(entry.trim(), ipv6Prefix)
      if (address !== undefined) return address
    }
    return undefined
  }
  const entry = entries[Math.max(0, entries.length - trustedProxies)]
  return entry === undefined ? undefined : toCanonicalAddress(entry.trim(), ipv6Prefix)
}

/** Returns the number of the IPv4 address that `findIpv4End` found from `start` up to `end`. */
export function readIpv4Number(bytes: Uint8Array, start: number, end: number): number {
  let address = 0
  let value = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === dot) {
      address = address * 256 + value
      value = 0
    } else value = value * 10 + byte - zero
  }
  return address * 256 + value
}

/** Returns the eight 16-bit groups of an IPv6 address; undefined when the text is not one. */
export function parseIpv6(text: string): number[] | undefined {
  const gap = text.indexOf('::')
  if (gap === -1) {
    const groups = parseGroups(text)
    return groups?.length === 8 ? groups : undefined
  }
  const left = gap === 0 ? [] : parseGroups(text.slice(0, gap), false)
  const rest = text.slice(gap + 2)
  const right = rest === '' ? [] : parseGroups(rest)
  if (!left || !right || left.length + right.length > 7) return undefined
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

/** @param mayEndInIpv4 whether the last 32 bits may be written as in IPv4 */
function parseGroups(text: string, mayEndInIpv4 = true): number[] | undefined {
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else if (mayEndInIpv4 && i === parts.length - 1 && isIPv4(part)) {
      const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
      groups.push(a * 256 + b, c * 256 + d)
    } else return undefined
  }
  return groups
}

/** Returns whether the groups are an IPv4-mapped address (RFC 4291, 2.5.5.2). */
function isMapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every(group => group === 0)
}

function formatIpv4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 255])
    .join('.')
}

/** Formats groups by RFC 5952, as hosts in a URL are. */
function formatIpv6(groups: readonly number[]): string {
  return new URL(`http://[${groups.map(group => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
}

const maxHostnameLength = 253
const hostname = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\.?$/

/**
 * Converts a host name that a web server wrote instead of an address to lower case, without the last dot. A name without a
 * dot inside is not accepted, because any word would be one.
 *
 * @returns undefined when the text is not a host name
 */
export function toCanonicalHostname(text: string): string | undefined {
  if (text.length > maxHostnameLength) return undefined
  const lower = text.toLowerCase()
  if (!hostname.test(lower)) return undefined
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}
