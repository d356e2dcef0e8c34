import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { type AddressRange, isInRanges } from '../../base/address-range.ts'

/**
 * Returns a function that finds the address of a client. Behind trusted proxies, it is the last address in `X-Forwarded-For` that
 * is not a trusted proxy; a client can write only what stands before it.
 */
export function createClientFinder(trusted: readonly AddressRange[]): (req: IncomingMessage) => string {
  return ({ socket, headers }) => {
    const peer = (socket.remoteAddress ?? '-').replace(/^::ffff:(?=\d+\.)/, '')
    if (trusted.length === 0 || !isInRanges(peer, trusted)) return peer
    const list = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    let client = peer
    for (const entry of list.reverse()) {
      const address = entry.trim()
      if (isIP(address) === 0) return client
      client = address
      if (!isInRanges(address, trusted)) return client
    }
    return client
  }
}
