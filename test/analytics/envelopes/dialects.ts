import type { LogSettings } from '../../../server/analytics/envelopes/log-settings.ts'
import { formats } from '../../../server/analytics/formats/formats.ts'
import {
  behind,
  combined,
  createW3c,
  forwarded,
  haproxy,
  json,
  loadBalancer,
  type Oracle,
  s3,
  vhost,
} from './oracle.ts'

// A long file: a table with each dialect, and how its lines are read.

/** A sample of a dialect in `dialects/`; `SOURCES.md` there says where its lines come from. */
export interface DialectSample {
  /** Name of the file without its extension. */
  name: string
  format: string
  /** Undefined when the lines have none. */
  envelope?: string
  /** What must be set because it cannot be detected. */
  settings?: LogSettings
  /** Creates the reference reader of the lines. */
  oracle: () => Oracle
  /** The same for the addresses of the peers, if the settings name another field. */
  peerOracle?: () => Oracle
}

const isoTime = String.raw`\d{4}-\d\d-\d\dT\S+`
const syslog = /^(?:<\d+>)?(?:\w{3} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\S+) \S+ (?:\S+: )/
const syslog5424 = /^<\d+>1 \S+ \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\])+) \ufeff?/

/** Reads the lines of Kubernetes, where a line may have two parts. */
function createCri(inner: Oracle): Oracle {
  let begun = ''
  return line => {
    const [, stream, tag, text] = new RegExp(`^${isoTime} (stdout|stderr) ([PF]) (.*)$`).exec(line) ?? []
    if (tag === 'P') {
      begun += text
      return 'comment'
    }
    if (stream === 'stderr') return inner(text ?? '')
    const whole = begun + text
    begun = ''
    return inner(whole)
  }
}

const ms = (time: unknown) => (typeof time === 'number' ? time : Date.parse(String(time)))
const docker = (inner: Oracle) => json(({ log }) => inner(log.replace(/\n$/, '')))

const caddy = json(({ request, ts, status }) => ({
  address: request.client_ip,
  ms: ts * 1000,
  method: request.method,
  target: request.uri,
  status: String(status),
  agent: request.headers['User-Agent'][0],
}))

export const dialectSamples: readonly DialectSample[] = [
  { name: 'combined', format: 'combined', oracle: () => combined },
  { name: 'vhost-combined', format: 'vhost_combined', oracle: () => vhost },
  { name: 'traefik', format: 'traefik', oracle: () => combined },
  { name: 'ingress-nginx', format: 'ingress-nginx', oracle: () => combined },
  { name: 'ingress-nginx-cri', format: 'ingress-nginx', envelope: 'cri', oracle: () => createCri(combined) },
  { name: 'combined-cri', format: 'combined', envelope: 'cri', oracle: () => createCri(combined) },
  { name: 'combined-docker', format: 'combined', envelope: 'docker', oracle: () => docker(combined) },
  {
    name: 'combined-compose',
    format: 'combined',
    envelope: 'docker-compose',
    oracle: () => behind(/^\S+ +\| /, combined),
  },
  {
    name: 'combined-kubectl',
    format: 'combined',
    envelope: 'kubectl',
    oracle: () => behind(/^\[pod\/\S+\] \S+ /, combined),
  },
  { name: 'combined-syslog', format: 'combined', envelope: 'syslog', oracle: () => behind(syslog, combined) },
  { name: 'combined-syslog-iso', format: 'combined', envelope: 'syslog', oracle: () => behind(syslog, combined) },
  {
    name: 'combined-syslog-5424',
    format: 'combined',
    envelope: 'syslog-5424',
    oracle: () => behind(syslog5424, combined),
  },
  {
    name: 'combined-journald',
    format: 'combined',
    envelope: 'journald',
    oracle: () => json(({ MESSAGE: text }) => combined(Array.isArray(text) ? Buffer.from(text).toString() : text)),
  },
  { name: 'combined-fluent-bit', format: 'combined', envelope: 'record', oracle: () => docker(combined) },
  {
    name: 'combined-vector',
    format: 'combined',
    envelope: 'record',
    oracle: () => json(({ message }) => combined(message)),
  },
  {
    name: 'combined-otlp',
    format: 'combined',
    envelope: 'otlp-body',
    oracle: () => json(({ body }) => combined(body.stringValue)),
  },
  { name: 'iis', format: 'w3c', oracle: () => createW3c(' ') },
  {
    name: 'iis-forwarded',
    format: 'w3c',
    settings: { clientField: 'X-Forwarded-For' },
    oracle: () => createW3c(' ', 'X-Forwarded-For'),
    peerOracle: () => createW3c(' '),
  },
  { name: 'cloudfront', format: 'cloudfront', oracle: () => createW3c('\t') },
  { name: 'aws-alb', format: 'aws-alb', oracle: () => loadBalancer(1, 3, 8, 12) },
  { name: 'aws-elb', format: 'aws-elb', oracle: () => loadBalancer(0, 2, 7, 11) },
  { name: 'aws-s3', format: 'aws-s3', oracle: () => s3 },
  {
    name: 'haproxy',
    format: 'haproxy',
    envelope: 'syslog',
    settings: { format: 'haproxy{Host|Referer|User-Agent}' },
    oracle: () => haproxy,
  },
  {
    name: 'nginx-main',
    format: 'nginx',
    settings: {
      format:
        '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for"',
    },
    oracle: () => combined,
  },
  {
    name: 'nginx-forwarded',
    format: 'nginx',
    settings: {
      format: `log_format proxied '$host:$server_port "$http_x_forwarded_for" $remote_addr - $remote_user [$time_local] '
        '"$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';`,
    },
    oracle: () => forwarded,
  },
  {
    name: 'nginx-json',
    format: 'nginx',
    settings: {
      format: `escape=json '{"time":"$time_iso8601","remote_addr":"$remote_addr","xff":"$http_x_forwarded_for",'
        '"request_method":"$request_method","request_uri":"$request_uri","status":"$status","host":"$host",'
        '"referer":"$http_referer","user_agent":"$http_user_agent"}'`,
    },
    oracle: () =>
      json(({ time, remote_addr, request_method, request_uri, status, user_agent }) => ({
        address: remote_addr,
        ms: ms(time),
        method: request_method,
        target: request_uri,
        status,
        agent: user_agent,
      })),
  },
  {
    name: 'apache-vhost',
    format: 'apache',
    settings: { format: String.raw`%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"` },
    oracle: () => vhost,
  },
  { name: 'caddy', format: 'caddy', oracle: () => caddy },
  { name: 'caddy-docker', format: 'caddy', envelope: 'docker', oracle: () => docker(caddy) },
  {
    name: 'traefik-json',
    format: 'traefik-json',
    oracle: () =>
      json(entry => ({
        address: entry.ClientHost,
        ms: ms(entry.StartUTC),
        method: entry.RequestMethod,
        target: entry.RequestPath,
        status: String(entry.DownstreamStatus),
        agent: entry['request_User-Agent'],
      })),
  },
  {
    name: 'json',
    format: 'json',
    settings: {
      jsonFields:
        'time=time,method=req.method,path=req.url,status=res.code,userAgent=req.headers.user-agent,address=req.ip',
    },
    oracle: () =>
      json(({ time, req, res }) => ({
        address: req.ip,
        ms: time,
        method: req.method,
        target: req.url,
        status: String(res.code),
        agent: req.headers['user-agent'],
      })),
  },
  {
    name: 'cloudflare',
    format: 'cloudflare',
    oracle: () =>
      json(entry => {
        if (!['eyeball', undefined].includes(entry.ClientRequestSource)) return 'comment'
        const start = entry.EdgeStartTimestamp
        return {
          address: entry.ClientIP,
          ms: typeof start === 'string' ? Date.parse(start) : start > 1e12 ? start / 1e6 : start * 1000,
          method: entry.ClientRequestMethod,
          target: entry.ClientRequestURI,
          status: String(entry.EdgeResponseStatus),
          agent: entry.ClientRequestUserAgent,
        }
      }),
  },
  {
    name: 'google-cloud',
    format: 'google-cloud',
    oracle: () =>
      json(({ httpRequest, timestamp }) => ({
        address: httpRequest.remoteIp.replace(/^([\d.]+):\d+$/, '$1'),
        ms: ms(timestamp),
        method: httpRequest.requestMethod,
        target: httpRequest.requestUrl,
        status: String(httpRequest.status),
        agent: httpRequest.userAgent,
      })),
  },
  {
    name: 'azure-front-door',
    format: 'azure-front-door',
    oracle: () =>
      json(({ time, category, properties }) => {
        if (category.toLowerCase() !== 'frontdooraccesslog') return 'comment'
        return {
          address: properties.clientIp,
          ms: ms(time),
          method: properties.httpMethod,
          target: properties.requestUri,
          status: properties.httpStatusCode,
          agent: properties.userAgent,
        }
      }),
  },
  {
    name: 'fastly',
    format: 'fastly',
    oracle: () =>
      json(entry => {
        if (!entry.fastly_is_edge) return 'comment'
        return {
          address: entry.client_ip,
          ms: ms(entry.timestamp),
          method: entry.request_method,
          target: entry.url,
          status: String(entry.response_status),
          agent: entry.request_user_agent,
        }
      }),
  },
  {
    name: 'vercel',
    format: 'vercel',
    oracle: () =>
      json(({ proxy }) => {
        if (!proxy) return 'comment'
        return {
          address: proxy.clientIp,
          ms: proxy.timestamp,
          method: proxy.method,
          target: proxy.path,
          status: proxy.statusCode === -1 ? '000' : String(proxy.statusCode),
          agent: proxy.userAgent[0],
        }
      }),
  },
  {
    name: 'netlify',
    format: 'netlify',
    oracle: () =>
      json(entry => {
        if (entry.log_type !== 'traffic') return 'comment'
        return {
          address: entry.client_ip,
          ms: ms(entry.timestamp),
          method: entry.method,
          target: entry.url,
          status: String(entry.status_code),
          agent: entry.user_agent,
        }
      }),
  },
  {
    name: 'otlp',
    format: 'otlp',
    oracle: () =>
      json(({ timeUnixNano: time, observedTimeUnixNano: observed, attributes }) => {
        const values = Object.fromEntries(
          attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]),
        )
        if (attributes.length === 0) return undefined
        return {
          address: values['client.address'] ?? values['http.client_ip'],
          ms: Number((time === '0' ? observed : time).slice(0, -6)),
          method: 'GET',
          target: values['url.path'] ?? values['url.full'] ?? values['http.target'],
          status: String(values['http.response.status_code'] ?? values['http.status_code']),
          agent: values['user_agent.original'] ?? values['http.user_agent'],
        }
      }),
  },
  {
    name: 'fluent-bit',
    format: 'fluent-bit',
    oracle: () =>
      json(({ date, remote, host, method, path, code, agent }) =>
        agent === undefined
          ? undefined
          : {
              address: remote ?? host,
              ms: typeof date === 'number' ? date * 1000 : Date.parse(date),
              method,
              target: path,
              status: code,
              agent,
            },
      ),
  },
  {
    name: 'vector',
    format: 'vector',
    oracle: () =>
      json(({ timestamp, client, host, method, path, status, agent }) =>
        agent === undefined
          ? undefined
          : { address: client ?? host, ms: ms(timestamp), method, target: path, status: String(status), agent },
      ),
  },
]

/** The names of all formats that a log can have, including those that a setting defines. */
export const formatNames = [...formats.map(({ name }) => name), 'json', 'nginx', 'apache']
