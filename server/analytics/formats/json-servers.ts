import { createJsonDialect } from './json-line.ts'

/**
 * nginx with a `log_format` in JSON whose fields have the names of the variables, with `$request` or its parts. A client field
 * is the name of a field. https://nginx.org/en/docs/http/ngx_http_core_module.html#variables
 */
export const nginxJson = createJsonDialect({
  name: 'nginx-json',
  read(entry) {
    const userAgent = entry.http_user_agent
    if (entry.remote_addr === undefined || userAgent === undefined) return undefined
    const { request } = entry
    const [, method, target] =
      typeof request === 'string' ? (/^(\S+) (.*?)(?: HTTP\/[\d.]+)?$/.exec(request) ?? []) : []
    return {
      time:
        entry.time_iso8601 ?? entry.time_local ?? entry.msec ?? entry.time ?? entry.timestamp ?? entry['@timestamp'],
      method: method ?? entry.request_method,
      target: target ?? entry.request_uri ?? entry.uri,
      status: entry.status,
      userAgent,
      address: entry.remote_addr,
      host: entry.http_host ?? entry.host ?? entry.server_name,
      referrer: entry.http_referer ?? entry.http_referrer,
      accept: entry.http_accept,
    }
  },
})

/**
 * CloudFront's standard logs (v2) in JSON. A client field is the name of a field.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
 */
export const cloudfrontJson = createJsonDialect({
  name: 'cloudfront-json',
  read(entry) {
    if (entry['cs-uri-stem'] === undefined || entry['c-ip'] === undefined) return undefined
    const seconds = entry['timestamp(ms)'] ?? entry.timestamp
    return {
      time: entry.date === undefined ? seconds : `${entry.date} ${entry.time}`,
      method: entry['cs-method'],
      target: entry['cs-uri-stem'],
      status: entry['sc-status'],
      userAgent: entry['cs(User-Agent)'],
      address: entry['c-ip'],
      host: entry['x-host-header'] ?? entry['cs(Host)'],
      referrer: entry['cs(Referer)'],
      accept: entry['cs-accept'],
    }
  },
})

/**
 * The access log of Istio and of Envoy Gateway in their default JSON. The address is that of the peer. A client field is the
 * name of a field, such as `x_forwarded_for`. https://istio.io/latest/docs/tasks/observability/logs/access-log/
 */
export const envoyJson = createJsonDialect({
  name: 'envoy-json',
  read(entry) {
    if (entry.start_time === undefined || entry.response_code === undefined) return undefined
    return {
      time: entry.start_time,
      method: entry.method,
      target: entry.path ?? entry['x-envoy-origin-path'],
      status: entry.response_code,
      userAgent: entry.user_agent ?? entry['user-agent'],
      address: entry.downstream_remote_address,
      host: entry.authority ?? entry[':authority'],
      referrer: entry.referer,
    }
  },
})

/**
 * Akamai DataStream 2 in JSON. The path has no slash at its start. A client field is the name of a field.
 * https://techdocs.akamai.com/datastream2/docs/data-set-parameters
 */
export const akamai = createJsonDialect({
  name: 'akamai',
  read(entry) {
    const { reqPath: path } = entry
    if (typeof path !== 'string' || entry.cliIP === undefined || entry.UA === undefined) return undefined
    return {
      time: entry.reqTimeSec,
      method: entry.reqMethod,
      target: path.startsWith('/') ? path : `/${path}`,
      status: entry.statusCode,
      userAgent: entry.UA,
      address: entry.cliIP,
      host: entry.reqHost,
      referrer: entry.referer,
    }
  },
})
