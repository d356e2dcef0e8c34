import type { IncomingMessage } from 'node:http'
import { type AddressRange, isInRanges } from '../base/address-range.ts'
import type { ServerAddress } from '../operations/client.ts'
import { readForwardedAddress } from './forwarded.ts'

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
