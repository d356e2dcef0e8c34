import { isIPv4 } from 'node:net'
import { findIpv4End, parseIpv6, readIpv4Number } from './address.ts'

/** All addresses from `first` to `last`, both inclusive, as numbers of 32 or 128 bits. */
export interface Cidr {
  bits: 32 | 128
  first: bigint
  last: bigint
}

/**
 * Parses a block of addresses such as `203.0.113.0/24` or `2001:db8::/32`; a single address is a block of one. Bits after the
 * prefix are ignored.
 *
 * @returns undefined when the text is not a block
 */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', length] = /^([0-9a-fA-F:.]{2,45})(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const groups = isIPv4(address) ? address.split('.').map(Number) : parseIpv6(address)
  if (!groups) return undefined
  const bits = groups.length === 4 ? 32 : 128
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return undefined
  const size = 1n << BigInt(bits - prefix)
  const number = toNumber(groups, bits)
  const first = number - (number % size)
  return { bits, first, last: first + size - 1n }
}

function toNumber(groups: readonly number[], bits: Cidr['bits']): bigint {
  const width = BigInt(bits / groups.length)
  return groups.reduce((number, group) => (number << width) | BigInt(group), 0n)
}

/**
 * Finds to whom an address belongs. Where blocks overlap, the smallest block decides. The most lines of a log have an IPv4
 * address that is in no block: such an address is rejected by its first two bytes.
 */
export class AddressRanges<Owner> {
  readonly #ipv4: Intervals<Owner, number>
  /** By the first 16 bits of an address: whether a block has such addresses. */
  readonly #ipv4Heads = new Uint8Array(65_536)
  readonly #ipv6: Intervals<Owner, bigint>
  readonly #ipv6Heads = new Set<number>()

  /** @throws {RangeError} when a text is not a block, see `parseCidr`. */
  constructor(ranges: Iterable<{ cidr: string; owner: Owner }>) {
    const blocks = Array.from(ranges, ({ cidr, owner }) => {
      const block = parseCidr(cidr)
      if (!block) throw new RangeError(`${JSON.stringify(cidr)} is not a block of addresses such as 203.0.113.0/24.`)
      return { ...block, owner }
    })
    const [ipv4, ipv6] = [32, 128].map(bits => blocks.filter(block => block.bits === bits)) as [
      Block<Owner>[],
      Block<Owner>[],
    ]
    this.#ipv4 = flatten(ipv4, Number)
    this.#ipv6 = flatten(ipv6, bound => bound)
    for (const { first, last } of ipv4) this.#ipv4Heads.fill(1, Number(first >> 16n), Number(last >> 16n) + 1)
    for (const { first, last } of ipv6)
      for (let head = Number(first >> 112n); head <= Number(last >> 112n); head++) this.#ipv6Heads.add(head)
  }

  /** Returns the owner of the canonical address in `bytes` from `start` up to `end`; undefined for a host name. */
  find(bytes: Buffer, start: number, end: number): Owner | undefined {
    if (findIpv4End(bytes, start, end) === end) return this.findIpv4(bytes, start, end)
    if (this.#ipv6Heads.size === 0) return undefined
    const groups = parseIpv6(bytes.toString('latin1', start, end))
    if (!groups || !this.#ipv6Heads.has(groups[0] as number)) return undefined
    return findIn(this.#ipv6, toNumber(groups, 128))
  }

  /** Returns the owner of the IPv4 address in `bytes` from `start` up to `end`, which must be valid. */
  findIpv4(bytes: Buffer, start: number, end: number): Owner | undefined {
    const address = readIpv4Number(bytes, start, end)
    return this.#ipv4Heads[address >>> 16] === 1 ? findIn(this.#ipv4, address) : undefined
  }
}

type Block<Owner> = Cidr & { owner: Owner }

/** Intervals without gaps: each one lasts up to the start of the next one. */
interface Intervals<Owner, Bound> {
  starts: Bound[]
  /** Undefined = no block has the addresses of the interval. */
  owners: (Owner | undefined)[]
}

/** Blocks are either disjoint or inside each other, so the open blocks are a stack, and the last one is the smallest. */
function flatten<Owner, Bound>(blocks: Block<Owner>[], toBound: (bound: bigint) => Bound): Intervals<Owner, Bound> {
  const starts: Bound[] = []
  const owners: (Owner | undefined)[] = []
  const begin = (bound: bigint, owner: Owner | undefined): void => {
    starts.push(toBound(bound))
    owners.push(owner)
  }
  const open: Block<Owner>[] = []
  const closeBefore = (bound: bigint | undefined): void => {
    for (let top = open.at(-1); top && (bound === undefined || top.last < bound); top = open.at(-1)) {
      open.pop()
      begin(top.last + 1n, open.at(-1)?.owner)
    }
  }
  for (const block of blocks.sort(byStartThenSize)) {
    closeBefore(block.first)
    open.push(block)
    begin(block.first, block.owner)
  }
  closeBefore(undefined)
  return { starts, owners }
}

function byStartThenSize(a: Cidr, b: Cidr): number {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1
  return a.last === b.last ? 0 : a.last > b.last ? -1 : 1
}

/** Finds the last interval that begins at or before the address. Of intervals with the same start, the last one counts. */
function findIn<Owner, Bound extends number | bigint>(
  { starts, owners }: Intervals<Owner, Bound>,
  address: Bound,
): Owner | undefined {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as Bound) <= address) low = middle + 1
    else high = middle
  }
  return low === 0 ? undefined : owners[low - 1]
}
