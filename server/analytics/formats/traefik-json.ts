import { createJsonDialect, findHeader } from './json-line.ts'

/**
 * Traefik's access log in JSON. Traefik omits the user agent unless `accessLog.fields.headers.names.User-Agent` is `keep`.
 * A client field is the name of a request header, or of a field.
 * https://doc.traefik.io/traefik/observability/access-logs/
 */
export const traefikJson = createJsonDialect({
  name: 'traefik-json',
  read(entry, clientField) {
    if (entry.RequestMethod === undefined) return undefined
    return {
      time: entry.StartUTC ?? entry.time ?? entry.StartLocal,
      method: entry.RequestMethod,
      target: entry.RequestPath,
      status: entry.DownstreamStatus,
      userAgent: findHeader(entry, 'request_User-Agent'),
      address: entry.ClientHost ?? entry.ClientAddr,
      client:
        clientField === undefined
          ? undefined
          : (findHeader(entry, `request_${clientField}`) ?? findHeader(entry, clientField)),
      host: entry.RequestHost ?? entry.RequestAddr,
      referrer: findHeader(entry, 'request_Referer'),
      accept: findHeader(entry, 'request_Accept'),
    }
  },
})
