import { alb, elb } from './aws-elb.ts'
import { s3 } from './aws-s3.ts'
import { cloudfront } from './cloudfront.ts'
import { fluentBit, otlp, vector } from './collectors.ts'
import { combined, findTail } from './combined.ts'
import { ingressNginx, traefik } from './combined-tails.ts'
import { haproxy } from './haproxy.ts'
import { asObject, createJsonDialect, findField, findHeader, findUrlHost, parseEntry } from './json-line.ts'
import { akamai, cloudfrontJson, envoyJson, nginxJson } from './json-servers.ts'
import { knownPatterns } from './known-patterns.ts'
import type { LogFormat } from './log-format.ts'
import { vhostCombined } from './vhost-combined.ts'
import { W3cParser } from './w3c-parser.ts'

/**
 * Caddy 2's access log in JSON. The peer is `client_ip` if present. Caddy writes the address of the peer to it, or the
 * client that Caddy found in the headers by its `trusted_proxies` setting. A client field is the name of a request
 * header, or a dotted path.
 * https://caddyserver.com/docs/caddyfile/directives/log
 */
const caddy = createJsonDialect({
  name: 'caddy',
  read(entry) {
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
      host: request.host,
      referrer: findHeader(request.headers, 'Referer'),
      accept: findHeader(request.headers, 'Accept'),
    }
  },
  findClient: (entry, name) => findHeader(asObject(entry.request)?.headers, name) ?? findField(entry, name),
})

/**
 * Cloudflare Logpush, data set `http_requests`. A client field is the name of a request header that Logpush is configured to
 * log, or a dotted path. Requests of Cloudflare's own services, such as a Worker's, are not counted.
 * https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/
 */
const cloudflare = createJsonDialect({
  name: 'cloudflare',
  read(entry) {
    const { ClientRequestSource: source, content } = entry
    // The test that Logpush sends before it accepts a destination.
    if (content === 'tests') return 'comment'
    if (entry.EdgeStartTimestamp === undefined || entry.ClientRequestMethod === undefined) return undefined
    if (typeof source === 'string' && source !== '' && source !== 'eyeball' && source !== 'unknown') return 'comment'
    return {
      time: entry.EdgeStartTimestamp,
      method: entry.ClientRequestMethod,
      target: entry.ClientRequestURI ?? entry.ClientRequestPath,
      status: entry.EdgeResponseStatus,
      userAgent: entry.ClientRequestUserAgent,
      address: entry.ClientIP,
      host: entry.ClientRequestHost,
      referrer: entry.ClientRequestReferer,
      accept: findHeader(entry.RequestHeaders, 'Accept'),
    }
  },
  findClient: (entry, name) => findHeader(entry.RequestHeaders, name) ?? findField(entry, name),
})

/**
 * Traefik's access log in JSON. Traefik omits the user agent unless `accessLog.fields.headers.names.User-Agent` is `keep`.
 * A client field is the name of a request header, or of a field.
 * https://doc.traefik.io/traefik/observability/access-logs/
 */
const traefikJson = createJsonDialect({
  name: 'traefik-json',
  read(entry) {
    if (entry.RequestMethod === undefined) return undefined
    return {
      time: entry.StartUTC ?? entry.time ?? entry.StartLocal,
      method: entry.RequestMethod,
      target: entry.RequestPath,
      status: entry.DownstreamStatus,
      userAgent: findHeader(entry, 'request_User-Agent'),
      address: entry.ClientHost ?? entry.ClientAddr,
      host: entry.RequestHost ?? entry.RequestAddr,
      referrer: findHeader(entry, 'request_Referer'),
      accept: findHeader(entry, 'request_Accept'),
    }
  },
  findClient: (entry, name) => findHeader(entry, `request_${name}`) ?? findHeader(entry, name),
})

/**
 * Vercel's log drains as JSON lines. Lines without a request, such as those of a build, are not counted. A client field is a
 * dotted path.
 * https://vercel.com/docs/drains/reference/logs
 */
const vercel = createJsonDialect({
  name: 'vercel',
  read(entry) {
    const isVercel = typeof entry.source === 'string' && (entry.deploymentId ?? entry.projectId) !== undefined
    const proxy = asObject(entry.proxy)
    if (!proxy) return isVercel ? 'comment' : undefined
    if (typeof entry.source !== 'string') return undefined
    return {
      time: proxy.timestamp ?? entry.timestamp,
      method: proxy.method,
      target: proxy.path,
      status: proxy.statusCode,
      userAgent: proxy.userAgent,
      address: proxy.clientIp,
      host: proxy.host ?? entry.host,
      referrer: proxy.referer,
    }
  },
})

/**
 * Access logs of Azure Front Door, also of its classic tier, as Azure Monitor stores them. The client is `clientIp`, which
 * Front Door takes from `X-Forwarded-For`; `socketIp` is the peer. A client field is a dotted path.
 * https://learn.microsoft.com/en-us/azure/frontdoor/standard-premium/how-to-logs
 */
const azureFrontDoor = createJsonDialect({
  name: 'azure-front-door',
  read(entry) {
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
      host: properties.hostName ?? findUrlHost(properties.requestUri),
      referrer: properties.referer ?? properties.referrer,
    }
  },
})

/**
 * Fastly's log streaming with the JSON format that its documentation proposes, in its current and its older names. Lines of
 * a shield repeat those of the edge and are not counted. A client field is a dotted path.
 * https://www.fastly.com/documentation/guides/integrations/logging-endpoints/
 */
const fastly = createJsonDialect({
  name: 'fastly',
  read(entry) {
    if (entry.request_user_agent === undefined || entry.client_ip === undefined) return undefined
    if (entry.fastly_is_edge === false) return 'comment'
    return {
      time: entry.timestamp ?? entry.time_start,
      method: entry.request_method ?? entry.request,
      target: entry.url,
      status: entry.response_status ?? entry.status,
      userAgent: entry.request_user_agent,
      address: entry.client_ip,
      host: entry.host,
      referrer: entry.request_referer,
      accept: entry.request_accept_content ?? entry.request_accept,
    }
  },
})

/**
 * Traffic logs of Netlify's log drains as JSON lines. The drain must not exclude personal data, which would remove address
 * and user agent. Lines of functions and deploys are not counted. A client field is a dotted path.
 * https://docs.netlify.com/manage/monitoring/log-drains/
 */
const netlify = createJsonDialect({
  name: 'netlify',
  read(entry) {
    if (typeof entry.log_type !== 'string' || (entry.site_id ?? entry.account_id) === undefined) return undefined
    if (entry.log_type !== 'traffic') return 'comment'
    return {
      time: entry.timestamp,
      method: entry.method,
      target: entry.url,
      status: entry.status_code,
      userAgent: entry.user_agent,
      address: entry.client_ip,
      host: findUrlHost(entry.url),
      referrer: entry.referrer,
    }
  },
})

/**
 * Entries of Google Cloud Logging with an `httpRequest`, as its load balancers write them. A client field is a dotted path.
 * https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#httprequest
 */
const googleCloud = createJsonDialect({
  name: 'google-cloud',
  read(entry) {
    const request = asObject(entry.httpRequest)
    if (!request || entry.timestamp === undefined) return undefined
    return {
      time: entry.timestamp,
      method: request.requestMethod,
      target: request.requestUrl,
      status: request.status,
      userAgent: request.userAgent,
      address: request.remoteIp,
      host: findUrlHost(request.requestUrl),
      referrer: request.referer,
    }
  },
})

/**
 * W3C extended log files with any columns, as IIS writes them. A client field is the name of a column or of a request header:
 * `X-Forwarded-For` is the column `X-Forwarded-For` or `cs(X-Forwarded-For)`.
 * https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging
 */
const w3c: LogFormat = {
  name: 'w3c',
  hasHost: true,
  open: ({ clientField }) => new W3cParser({ clientField, mustHaveClient: true, isStrict: true }),
  recognizes: (bytes, start, end) => /^#Fields: *\S/.test(bytes.toString('latin1', start, Math.min(end, start + 64))),
}

/**
 * All formats that are detected from content, in the order of detection: a line of Traefik or ingress-nginx is also a valid
 * combined line.
 */
export const formats: readonly LogFormat[] = [
  cloudfront,
  w3c,
  traefik,
  ingressNginx,
  vhostCombined,
  combined,
  alb,
  elb,
  s3,
  haproxy,
  caddy,
  traefikJson,
  cloudflare,
  googleCloud,
  fastly,
  vercel,
  netlify,
  otlp,
  fluentBit,
  vector,
  azureFrontDoor,
  nginxJson,
  cloudfrontJson,
  envoyJson,
  akamai,
  ...knownPatterns,
]

/** Detects the format of a line; undefined when it is in no known format. */
export function detectFormat(bytes: Buffer, start: number, end: number): LogFormat | undefined {
  if (bytes[start] === 0x7b) {
    const entry = parseEntry(bytes, start, end)
    return entry && formats.find(format => format.recognizesEntry?.(entry))
  }
  // Parsed once for all formats that continue a combined line.
  const tail = findTail(bytes, start, end)
  return formats.find(
    format => format.recognizes?.(bytes, start, end) || (tail !== undefined && format.recognizesTail?.(tail)),
  )
}
