import { createJsonDialect, findField, findHeader } from './json-line.ts'

/**
 * Cloudflare Logpush, data set `http_requests`. A client field is the name of a request header that Logpush is configured to
 * log, or a dotted path. Requests of Cloudflare's own services, such as a Worker's, are not counted.
 * https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/
 */
export const cloudflare = createJsonDialect({
  name: 'cloudflare',
  read(entry, clientField) {
    const { ClientRequestSource: source } = entry
    if (entry.EdgeStartTimestamp === undefined || entry.ClientRequestMethod === undefined) return undefined
    if (typeof source === 'string' && source !== '' && source !== 'eyeball' && source !== 'unknown') return 'comment'
    const headers = entry.RequestHeaders
    return {
      time: entry.EdgeStartTimestamp,
      method: entry.ClientRequestMethod,
      target: entry.ClientRequestURI ?? entry.ClientRequestPath,
      status: entry.EdgeResponseStatus,
      userAgent: entry.ClientRequestUserAgent,
      address: entry.ClientIP,
      client:
        clientField === undefined ? undefined : (findHeader(headers, clientField) ?? findField(entry, clientField)),
      host: entry.ClientRequestHost,
      referrer: entry.ClientRequestReferer,
      accept: findHeader(headers, 'Accept'),
    }
  },
})
