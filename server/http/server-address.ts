import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type AddressRange, isInRanges } from '../base/address-range.ts'
import type { ServerAddress } from '../operations/client.ts'

/** Finds where the client of a request reaches the server. */
export type FindServerAddress = (req: IncomingMessage) => ServerAddress

/**
 * Creates the function that finds the address for links: the address that a trusted proxy names in the headers of the request,
 * else the public URL, else the address that the server listens on. Headers of other clients are never read, because anyone can
 * send any host.
 */
export function createServerAddress(options: {
  publicUrl: string | undefined
  /** The address that the server listens on, as a URL that works on this machine. */
  listenUrl: string
  trustedProxies: readonly AddressRange[]
}): FindServerAddress {
  const { publicUrl, listenUrl, trustedProxies } = options
  const usual = { url: publicUrl ?? listenUrl, isPublic: publicUrl !== undefined }
  if (trustedProxies.length === 0) return () => usual
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')
  const isTrusted = (address: string) => isInRanges(address, trustedProxies)
  return req => {
    const peer = req.socket.remoteAddress
    if (peer === undefined || !isTrusted(peer)) return usual
    // A proxy that names only the protocol may pass on the Host of the client, or send its own.
    const headers = publicUrl === undefined ? req.headers : { ...req.headers, host: undefined }
    const url = readForwardedAddress(headers, { isTrusted, prefix })
    return url === undefined ? usual : { url, isPublic: true }
  }
}

/** What one header family says about the request as the client sent it. */
interface Forwarded {
  host: string | undefined
  proto: string | undefined
}

/**
 * Reads where the client sent a request from the headers that a trusted proxy added: `Forwarded` (RFC 7239) or
 * `X-Forwarded-Host`, `-Proto`, `-Port` and `-Prefix`. Returns a URL without a trailing slash; undefined when the headers do
 * not say it, contradict each other, or name a host that no link may contain.
 *
 * A proxy that sets one family passes on what the client sent in the other. So if the two contradict each other, neither counts.
 *
 * @param options.prefix the path below which clients reach the server, if no `X-Forwarded-Prefix` names it.
 */
export function readForwardedAddress(
  headers: IncomingHttpHeaders,
  options: { isTrusted(address: string): boolean; prefix: string },
): string | undefined {
  const standard = readForwarded(headers.forwarded, options.isTrusted)
  const common = readXForwarded(headers)
  if (!standard && !common) return undefined
  const hosts = [standard, common].flatMap(found => (found ? [found.host ?? headers.host] : []))
  const protos = [standard, common].flatMap(found => found?.proto ?? [])
  const [host = ''] = hosts
  const [proto = ''] = protos
  if (hosts.some(other => other !== host) || protos.some(other => other !== proto)) return undefined
  const prefix = lastOf(headers['x-forwarded-prefix'])?.replace(/(?<!\/)\/+$/, '') ?? options.prefix
  if (!/^https?$/.test(proto) || !isLinkHost(host) || !isLinkPath(prefix)) return undefined
  return `${proto}://${host}${prefix}`
}

/** A host that a link may contain: no IPv6 address, whose brackets a shell would change, and no wildcard address. */
function isLinkHost(host: string): boolean {
  const isHost = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?(:\d{1,5})?$/.test(host)
  const { hostname } = URL.parse(`http://${host}`) ?? {}
  return isHost && hostname !== undefined && hostname !== '0.0.0.0'
}

function isLinkPath(path: string): boolean {
  return /^(\/[A-Za-z0-9._~%+-]+)*$/.test(path) && !/\/\.{1,2}(\/|$)/.test(path)
}

function readXForwarded(headers: IncomingHttpHeaders): Forwarded | undefined {
  const proto = lastOf(headers['x-forwarded-proto'])?.toLowerCase()
  const host = lastOf(headers['x-forwarded-host'])
  const port = lastOf(headers['x-forwarded-port'])
  if (host === undefined && proto === undefined) return undefined
  const isUsual = port === undefined || port === (proto === 'https' ? '443' : '80')
  return { proto, host: host === undefined || isUsual || host.includes(':') ? host : `${host}:${port}` }
}

/** Returns the last entry of a list header: the nearest proxy, which is trusted, wrote it. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const last = [header ?? []].flat().join(',').split(',').at(-1)?.trim()
  return last === '' ? undefined : last
}

/**
 * Reads the element of `Forwarded` that the outermost trusted proxy wrote: from the right, the first whose `for` is not
 * trusted.
 */
function readForwarded(header: string | undefined, isTrusted: (address: string) => boolean): Forwarded | undefined {
  const elements = parseForwarded(header ?? '')
  let i = elements.length - 1
  while (i > 0 && isTrusted(toAddress(elements[i]?.get('for')))) i--
  const element = elements[i]
  const host = element?.get('host')
  const proto = element?.get('proto')?.toLowerCase()
  return host === undefined && proto === undefined ? undefined : { host, proto }
}

const pairPattern = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y

/** Parses the elements of `Forwarded`, with lower-case names; empty when the header is malformed. */
function parseForwarded(header: string): Map<string, string>[] {
  const elements: Map<string, string>[] = []
  let element = new Map<string, string>()
  pairPattern.lastIndex = 0
  while (pairPattern.lastIndex < header.length) {
    const match = pairPattern.exec(header)
    if (!match) return []
    const [, name, token, quoted, end] = match
    if (name !== undefined) element.set(name.toLowerCase(), token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '')
    if (end === ';') continue
    if (element.size > 0) elements.push(element)
    element = new Map()
  }
  return elements
}

/** `192.0.2.43:47011` and `[2001:db8::1]:47011` without port and brackets. */
function toAddress(node = ''): string {
  return /^\[(.*)\]/.exec(node)?.[1] ?? node.replace(/^([^:]*):[^:]*$/, '$1')
}
