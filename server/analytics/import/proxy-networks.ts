import { isIP } from 'node:net'
import { type Ipv6Prefix, toCanonicalAddress } from '../formats/address.ts'
import { AddressRanges } from '../formats/address-ranges.ts'
import published from './proxies.json' with { type: 'json' }

/** The owner of addresses that are private, loopback, link-local or shared (RFC 6890). */
export const privateNetwork = 'a private network'

const privateRanges = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]

/**
 * Addresses that proxies have: those of private networks, and those from which a CDN connects to a server. A reader has such
 * an address only in an intranet, or with a VPN of the CDN.
 */
export const proxyNetworks = new AddressRanges([
  ...privateRanges.map(cidr => ({ cidr, owner: privateNetwork })),
  ...published.proxies.flatMap(({ name, ranges }) => ranges.map(cidr => ({ cidr, owner: name }))),
])

/** Returns the owner of a canonical address; undefined when proxies do not have it. */
export function findProxy(address: string): string | undefined {
  const bytes = Buffer.from(address)
  return proxyNetworks.find(bytes, 0, bytes.length)
}

/**
 * Returns the client of a list of addresses that a proxy of these networks sent: the last address that is none of a proxy,
 * because clients can forge all entries before it. In an intranet, all addresses are private, and the first one is the client.
 *
 * @returns undefined when the list has none
 */
export function findForwardedClient(list: string, ipv6Prefix: Ipv6Prefix): string | undefined {
  const entries = list.split(',').map(entry => entry.trim())
  for (const entry of entries.toReversed()) {
    const address = toCanonicalAddress(entry)
    if (address === undefined) return undefined
    if (findProxy(address) === undefined) return toCanonicalAddress(entry, ipv6Prefix)
  }
  // An entry with a port may be a server behind the proxy.
  const first = entries[0] as string
  return isIP(first) === 0 ? undefined : toCanonicalAddress(first, ipv6Prefix)
}
