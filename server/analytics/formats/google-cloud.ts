import { asObject, createJsonDialect, findField, findUrlHost } from './json-line.ts'

/**
 * Entries of Google Cloud Logging with an `httpRequest`, as its load balancers write them. A client field is a dotted path.
 * https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#httprequest
 */
export const googleCloud = createJsonDialect({
  name: 'google-cloud',
  read(entry, clientField) {
    const request = asObject(entry.httpRequest)
    if (!request || entry.timestamp === undefined) return undefined
    return {
      time: entry.timestamp,
      method: request.requestMethod,
      target: request.requestUrl,
      status: request.status,
      userAgent: request.userAgent,
      address: request.remoteIp,
      client: clientField === undefined ? undefined : findField(entry, clientField),
      host: findUrlHost(request.requestUrl),
      referrer: request.referer,
    }
  },
})
