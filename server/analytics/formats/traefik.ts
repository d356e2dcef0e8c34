import { CombinedParser } from './combined.ts'
import type { LogFormat } from './log-format.ts'

/**
 * Traefik's CLF: a combined line, followed by the number of the request, the router, the server and the duration. Traefik
 * omits the user agent unless `accessLog.fields.headers.names.User-Agent` is `keep`.
 * https://doc.traefik.io/traefik/observability/access-logs/
 */
export const traefik: LogFormat = {
  name: 'traefik',
  hasHost: false,
  open: options => new CombinedParser(options),
  recognizesTail: tail => /^ \d+ "[^"]*" "[^"]*" \d+ms$/.test(tail),
}
