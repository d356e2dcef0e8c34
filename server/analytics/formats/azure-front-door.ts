import { asObject, createJsonDialect, findField, findUrlHost } from './json-line.ts'

/**
 * Access logs of Azure Front Door, also of its classic tier, as Azure Monitor stores them. The client is `clientIp`, which
 * Front Door takes from `X-Forwarded-For`; `socketIp` is the peer. A client field is a dotted path.
 * https://learn.microsoft.com/en-us/azure/frontdoor/standard-premium/how-to-logs
 */
export const azureFrontDoor = createJsonDialect({
  name: 'azure-front-door',
  read(entry, clientField) {
    const properties = asObject(entry.properties)
    if (typeof entry.category !== 'string' || !/^front-?door/i.test(entry.category)) return undefined
    // Health probes and firewall events.
    if (!/accesslog$/i.test(entry.category) || !properties) return 'comment'
    return {
      time: entry.time,
      method: properties.httpMethod,
      target: properties.requestUri,
      status: properties.httpStatusCode,
      userAgent: properties.userAgent,
      address: properties.clientIp,
      client: clientField === undefined ? undefined : findField(entry, clientField),
      host: properties.hostName ?? findUrlHost(properties.requestUri),
      referrer: properties.referer ?? properties.referrer,
    }
  },
})
