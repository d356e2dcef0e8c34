import { asObject, createJsonDialect, findField, findHeader } from './json-line.ts'

/**
 * Caddy 2's access log in JSON. The peer is `client_ip` if present. Caddy writes the address of the peer to it, or the
 * client that Caddy found in the headers by its `trusted_proxies` setting. A client field is the name of a request
 * header, or a dotted path.
 * https://caddyserver.com/docs/caddyfile/directives/log
 */
export const caddy = createJsonDialect({
  name: 'caddy',
  read(entry, clientField) {
    const request = asObject(entry.request)
    if (!request) return undefined
    return {
      time: entry.ts,
      method: request.method,
      target: request.uri,
      status: entry.status,
      userAgent: findHeader(request.headers, 'User-Agent'),
      // Before 2.5, Caddy wrote address and port in one field.
      address: request.client_ip ?? request.remote_ip ?? request.remote_addr,
      client:
        clientField === undefined
          ? undefined
          : (findHeader(request.headers, clientField) ?? findField(entry, clientField)),
      host: request.host,
      referrer: findHeader(request.headers, 'Referer'),
      accept: findHeader(request.headers, 'Accept'),
    }
  },
})
