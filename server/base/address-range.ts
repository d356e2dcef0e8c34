import ipaddr from 'ipaddr.js'

/** A range of IP addresses. */
export interface AddressRange {
  first: ipaddr.IPv4 | ipaddr.IPv6
  prefixBits: number
}

/** Parses an address such as 127.0.0.1 or a CIDR range such as 10.0.0.0/8; undefined when the text is neither. IPv4 that
 * is mapped to IPv6 is IPv4. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...more] = text.split('/')
  // The package accepts surprising spellings: 10/8 is 0.0.0.10/8.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined
  const first = ipaddr.parse(address)
  const maxBits = first.kind() === 'ipv4' ? 32 : 128
  const prefixBits = bits === undefined ? maxBits : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (!(prefixBits <= maxBits) || more.length > 0) return undefined
  const isMapped = first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress() && prefixBits >= 96
  return isMapped ? { first: first.toIPv4Address(), prefixBits: prefixBits - 96 } : { first, prefixBits }
}

/** Decides whether an address is in one of the ranges. An IPv4 address that is mapped to IPv6 is the IPv4 address. */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(({ first, prefixBits }) => parsed.kind() === first.kind() && parsed.match(first, prefixBits))
}
