import { isIP, isIPv4 } from 'node:net'

/** An address without the brackets and the port it may stand with: `[2001:db8::1]:443` and `203.0.113.9:1234`. */
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
 * The client of a list as proxies write it, each adding on the right who asked it: `client, proxy, proxy`. What is on the
 * left anybody can make up; it is right where the first proxy throws away what it was sent.
 *
 * @param trustedProxies how many proxies of one's own stand in front of the server, the one that asked it included: that
 * many entries from the right; the leftmost valid address when undefined
 * @returns undefined when the list has no address there
 */
export function findClient(list: string, trustedProxies: number | undefined): string | undefined {
  const addresses = list.split(',').map(entry => bareAddress(entry.trim()))
  if (trustedProxies === undefined) return addresses.find(address => isIP(address) !== 0)
  const address = addresses[Math.max(0, addresses.length - trustedProxies)]
  return address !== undefined && isIP(address) !== 0 ? address : undefined
}
