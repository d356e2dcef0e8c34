import { isIP } from 'node:net'
import { type Ipv6Prefix, toCanonicalAddress } from '../formats/address.ts'
import { AddressRanges } from '../formats/address-ranges.ts'
import { type AgentOperator, type AgentRangeList, publishedOperators } from './agent-ranges.ts'
import published from './proxies.json' with { type: 'json' }

/**
 * To whom an address belongs: `private` = nobody in the internet (RFC 6890), `example` = nobody at all (RFC 5737, RFC 3849),
 * `proxy` = a CDN that passes on the requests of others, `agent` = the operator of AI agents.
 */
export type AddressOwner =
  | { kind: 'private' | 'example' | 'proxy'; name: string; list?: undefined }
  | { kind: 'agent'; name: string; list: AgentRangeList }

export type AddressOwners = AddressRanges<AddressOwner>

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
const exampleRanges = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32']

function toRanges(owner: AddressOwner, ranges: readonly string[]) {
  return ranges.map(cidr => ({ cidr, owner }))
}

/** Creates the look-up of an address, with the addresses of these agents. */
export function createAddressOwners(operators: readonly AgentOperator[]): AddressOwners {
  return new AddressRanges([
    ...toRanges({ kind: 'private', name: 'a private network' }, privateRanges),
    ...toRanges({ kind: 'example', name: 'an example' }, exampleRanges),
    ...published.proxies.flatMap(({ name, ranges }) => toRanges({ kind: 'proxy', name }, ranges)),
    ...operators.flatMap(({ operator, lists }) =>
      lists.flatMap(list => toRanges({ kind: 'agent', name: operator, list }, list.ranges)),
    ),
  ])
}

let knownOwners: AddressOwners | undefined

/** Returns the owners that Quire knows. They are read once, when a log is first read. */
export function findKnownOwners(): AddressOwners {
  knownOwners ??= createAddressOwners(publishedOperators)
  return knownOwners
}

/** Returns whether a peer with this address may have passed on the request of another one. */
export function isProxy(owner: AddressOwner | undefined): owner is AddressOwner {
  return owner?.kind === 'private' || owner?.kind === 'proxy'
}

/** Returns the owner of a canonical address; undefined when nobody is known. */
export function findOwner(owners: AddressOwners, address: string): AddressOwner | undefined {
  const bytes = Buffer.from(address)
  return owners.find(bytes, 0, bytes.length)
}

/**
 * Returns the client of a list of addresses that a known proxy sent: the last address that is none of a proxy, because clients
 * can forge all entries before it. In an intranet, all addresses are private, and the first one is the client.
 *
 * @returns undefined when the list has none
 */
export function findForwardedClient(list: string, ipv6Prefix: Ipv6Prefix, owners: AddressOwners): string | undefined {
  const entries = list.split(',').map(entry => entry.trim())
  for (const entry of entries.toReversed()) {
    const address = toCanonicalAddress(entry)
    if (address === undefined) return undefined
    if (!isProxy(findOwner(owners, address))) return toCanonicalAddress(entry, ipv6Prefix)
  }
  // An entry with a port may be a server behind the proxy.
  const first = entries[0] as string
  return isIP(first) === 0 ? undefined : toCanonicalAddress(first, ipv6Prefix)
}
