import { isIP, isIPv4 } from 'node:net'

/** Removes brackets and port from an address such as `[2001:db8::1]:443` or `203.0.113.9:1234`. */
export function bareAddress(text: string): string {
  if (text.startsWith('[')) {
    const end = text.indexOf(']')
    return end === -1 ? text : text.slice(1, end)
  }
  const colon = text.indexOf(':')
  const hasPort = colon !== -1 && text.indexOf(':', colon + 1) === -1
  return hasPort && isIPv4(text.slice(0, colon)) ? text.slice(0, colon) : text
}

/**
 * Returns the client from a list written by proxies, such as `client, proxy, proxy`. Each proxy appends the address of
 * its peer. Clients can forge entries on the left, unless the first proxy discards the list it receives.
 *
 * @param trustedProxies number of trusted proxies in front of the server: the client is the entry with this number,
 * counted from the right; undefined = the leftmost valid address is the client
 * @returns undefined when that entry is not a valid address
 */
export function findClient(list: string, trustedProxies: number | undefined): string | undefined {
  const addresses = list.split(',').map(entry => bareAddress(entry.trim()))
  if (trustedProxies === undefined) return addresses.find(address => isIP(address) !== 0)
  const address = addresses[Math.max(0, addresses.length - trustedProxies)]
  return address !== undefined && isIP(address) !== 0 ? address : undefined
}
