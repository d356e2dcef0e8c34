import { emptyLogLine, type LogFormat } from './log-format.ts'
import { createPatternFormat } from './pattern-format.ts'

/** A format that is detected from the lines that its pattern reads. */
interface KnownPattern {
  name: string
  pattern: string
  /** The header with the client, for a format without the address of the peer. */
  clientField?: string
  /** What lines begin with; missing = anything. */
  begin?: RegExp
}

const envoyHead = '[$time_iso8601] "$request" $status $flags'
const envoyTail = '"$http_x_forwarded_for" "$http_user_agent" "$request_id" "$http_host" "$upstream_host"'
const proxyTail = '[Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio]'

/** The default formats of servers, written as the `log_format` of nginx or the `LogFormat` of Apache. */
const patterns: readonly KnownPattern[] = [
  // https://github.com/NginxProxyManager/nginx-proxy-manager/blob/develop/docker/rootfs/etc/nginx/conf.d/include/log-proxy.conf
  {
    name: 'nginx-proxy-manager',
    pattern: `[$time_local] $upstream_cache_status $upstream_status $status - $request_method $scheme $host "$request_uri" ${proxyTail} [Sent-to $server] "$http_user_agent" "$http_referer"`,
  },
  {
    name: 'nginx-proxy-manager-standard',
    pattern: `[$time_local] $status - $request_method $scheme $host "$request_uri" ${proxyTail} "$http_user_agent" "$http_referer"`,
  },
  // https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string
  {
    name: 'envoy',
    pattern: `${envoyHead} $received $sent $duration $upstream_time ${envoyTail}`,
    clientField: 'x-forwarded-for',
  },
  // https://istio.io/latest/docs/tasks/observability/logs/access-log/
  {
    name: 'istio',
    pattern: `${envoyHead} $details $termination "$failure" $received $sent $duration $upstream_time ${envoyTail} $cluster $upstream_local $downstream_local $remote_addr $server_name_sent $route`,
  },
  // https://github.com/apache/apisix/blob/master/conf/config.yaml.example
  {
    name: 'apisix',
    pattern:
      '$remote_addr - $remote_user [$time_local] $http_host "$request" $status $sent $request_time "$http_referer" "$http_user_agent" $upstream_addr $upstream_status $upstream_time "$upstream_url"',
  },
  // https://hypercorn.readthedocs.io/en/latest/how_to_guides/logging.html
  {
    name: 'hypercorn',
    pattern:
      '[$now] [$pid] [$level] $remote_addr - $remote_user [$time_local] "$request" $status $sent "$http_referer" "$http_user_agent"',
  },
  {
    name: 'forwarded-combined',
    pattern: '%{X-Forwarded-For}i %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"',
    clientField: 'x-forwarded-for',
    begin: /^[\da-f.:]+, /i,
  },
]

export const knownPatterns: readonly LogFormat[] = patterns.map(({ name, pattern, clientField: usual, begin }) => {
  const format = createPatternFormat(pattern)
  const open: LogFormat['open'] = ({ clientField }) => format.open({ clientField: clientField ?? usual })
  const parser = open({})
  const line = emptyLogLine()
  return {
    name,
    hasHost: format.hasHost,
    open,
    recognizes: (bytes, start, end) =>
      (!begin || begin.test(bytes.toString('latin1', start, Math.min(end, start + 48)))) &&
      parser.parse(bytes, start, end, line) === 'request',
  }
})
