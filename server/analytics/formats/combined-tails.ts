import { combined } from './combined.ts'
import type { LogFormat } from './log-format.ts'

/**
 * The lines of the Kubernetes controller ingress-nginx: a combined line, followed by length and time of the request, the
 * service and the answers of its servers. By default, the address is the client's, because the controller evaluates
 * `X-Forwarded-For` or the proxy protocol by its own settings.
 * https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/log-format/
 */
export const ingressNginx: LogFormat = {
  ...combined,
  name: 'ingress-nginx',
  recognizesTail: tail => /^ \d+ [\d.]+ \[[^\]]*\] (\[[^\]]*\] )?\S/.test(tail),
}

/**
 * Traefik's CLF: a combined line, followed by the number of the request, the router, the server and the duration. Traefik
 * omits the user agent unless `accessLog.fields.headers.names.User-Agent` is `keep`.
 * https://doc.traefik.io/traefik/observability/access-logs/
 */
export const traefik: LogFormat = {
  ...combined,
  name: 'traefik',
  recognizesTail: tail => /^ \d+ "[^"]*" "[^"]*" \d+ms$/.test(tail),
}
