import dns from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { type AddressRange, isInRanges } from '../../base/address-range.ts'
import { ForbiddenAddressError, whyForbidden } from './address.ts'
import type { FetchLimits } from './request.ts'

/** The most bytes that the headers of an answer may have together; more is an error. Set, because NODE_OPTIONS changes the default. */
export const maxHeaderBytes = 16 * 1024

/**
 * Bytes that an HTTP/2 server may send ahead, on one stream and on one connection. All requests to a host share a connection,
 * so undici's 512 KB would limit a host that is 200 ms away to 2.5 MB per second. undici 8.12 does not read the first of them
 * from `h2Options`.
 */
const windows = { initialWindowSize: 1024 ** 2, connectionWindowSize: 8 * 1024 ** 2 }

/**
 * Opens a pool of keep-alive connections that checks every address while connecting. The check uses the DNS look-up of the
 * socket itself, so a name that changes between two look-ups cannot bypass it. Address literals are checked before
 * connecting, and the peer is checked again after connecting. A server that offers HTTP/2 (by ALPN) is asked by HTTP/2. The
 * caller closes the pool.
 *
 * @param exempt origins that may be private or loopback. Scheme, host and port must match.
 * @param lookup for tests: how names are resolved.
 * @param ranges private addresses that are allowed, by whatever name.
 */
export function openGuardedAgent(
  exempt: readonly URL[],
  { connections, pageTimeoutMs }: Pick<FetchLimits, 'connections' | 'pageTimeoutMs'>,
  lookup?: LookupFunction,
  ranges: readonly AddressRange[] = [],
): Agent {
  const whyRefused = (address: string) => (isInRanges(address, ranges) ? null : whyForbidden(address))
  const how = { timeout: Math.min(10_000, pageTimeoutMs), allowH2: true, preferH2: true }
  const direct = buildConnector({ ...how, ...(lookup ? { lookup } : {}) })
  const guarded = buildConnector({ ...how, lookup: checkedLookup(lookup ?? dns.lookup, whyRefused) })
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    maxHeaderSize: maxHeaderBytes,
    allowH2: true,
    ...windows,
    connect(target, callback) {
      const host = target.hostname.replace(/^\[|\]$/g, '')
      const port = target.port || (target.protocol === 'https:' ? '443' : '80')
      if (exempt.some(origin => isOrigin(origin, target.protocol, target.hostname, port)))
        return direct(target, callback)
      const why = isIP(host) === 0 ? whyForbiddenName(host) : whyRefused(host)
      if (why) return callback(new ForbiddenAddressError(host, why), null)
      guarded(target, (error, socket) => {
        if (error) return callback(error, null)
        const peerWhy = whyRefused((socket as Socket).remoteAddress ?? '')
        if (!peerWhy) return callback(null, socket)
        socket.destroy()
        callback(new ForbiddenAddressError(host, peerWhy), null)
      })
    },
  })
}

function isOrigin(origin: URL, protocol: string, hostname: string, port: string): boolean {
  const bare = (host: string) => host.replace(/^\[|\]$/g, '').toLowerCase()
  const originPort = origin.port || (origin.protocol === 'https:' ? '443' : '80')
  return origin.protocol === protocol && bare(origin.hostname) === bare(hostname) && originPort === port
}

/**
 * Explains why a name is refused. Names below localhost refer to this machine (RFC 6761, 6.3), independent of the resolver.
 */
function whyForbiddenName(name: string): string | null {
  return /(^|\.)localhost\.?$/i.test(name) ? 'loopback' : null
}

/**
 * Refuses a name if one of its addresses is forbidden, because DNS rebinding answers with allowed and forbidden addresses.
 */
function checkedLookup(lookup: LookupFunction, whyRefused: typeof whyForbidden): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      if (error) return callback(error, address, family)
      const answers = Array.isArray(address) ? address.map(answer => answer.address) : [address]
      for (const answer of answers) {
        const why = whyRefused(answer)
        if (why) return callback(new ForbiddenAddressError(hostname, why) as NodeJS.ErrnoException, address, family)
      }
      callback(null, address, family)
    })
  }
}
