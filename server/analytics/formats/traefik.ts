import { CombinedParser } from './combined.ts'
import { emptyLogLine, type LogFormat } from './log-format.ts'

/**
 * Traefik's CLF: a combined line, followed by the number of the request, the router, the server and the duration. Traefik
 * omits the user agent unless `accessLog.fields.headers.names.User-Agent` is `keep`.
 * https://doc.traefik.io/traefik/observability/access-logs/
 */
export const traefik: LogFormat = {
  name: 'traefik',
  hasHost: false,
  open: options => new CombinedParser(options),
  recognizes(bytes, start, end) {
    const line = emptyLogLine()
    if (new CombinedParser({}).parse(bytes, start, end, line) !== 'request') return false
    return /^ \d+ "[^"]*" "[^"]*" \d+ms$/.test(bytes.toString('latin1', line.userAgentEnd + 1, end))
  },
}
