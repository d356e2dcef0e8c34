import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Background } from '../../base/background.ts'
import { hashText } from '../../base/digest.ts'
import { OperatorError } from '../../base/operator-error.ts'
import type { MetricsSettings } from '../../config.ts'
import { openListener } from '../running-server.ts'
import type { MetricsRegistry } from './registry.ts'

const lateStatus = 503

/**
 * Serves `/metrics` on an address of its own, so that the address of the API never has them. The library is loaded here, and without the
 * setting nothing is measured.
 *
 * @throws {OperatorError} when it cannot listen on the address.
 */
export async function openMetrics(
  settings: MetricsSettings | null,
  { background, log }: { background: Background; log: Logger },
  add: (metrics: MetricsRegistry) => void,
): Promise<void> {
  if (!settings) return
  const { createRegistry } = await import('./registry.ts')
  const metrics = createRegistry()
  add(metrics)
  const { host, port, token } = settings
  const answerLate = (res: ServerResponse) => res.writeHead(lateStatus, { Connection: 'close' }).end()
  const listening = openListener({ host, port, drainMs: 0, answerLate }, log, 'GET, HEAD')
  const { url, closing, answer } = await listening.catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`--metrics-address ${host}:${port} cannot be used (${error.code}). Choose another port.`)
  })
  answer((req, res) => void answerMetrics(metrics, token, req, res).catch(err => fail(err, res, log)))
  background.add(closing)
  log.info({ url: `${url}/metrics` }, 'metrics')
}

async function answerMetrics(
  metrics: MetricsRegistry,
  token: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.url?.split('?', 1)[0] !== '/metrics') return send(res, 404, 'The metrics are at /metrics.\n')
  if (req.method !== 'GET' && req.method !== 'HEAD')
    return send(res, 405, 'Only GET is answered.\n', { Allow: 'GET, HEAD' })
  if (token !== undefined && !isToken(req, token)) {
    return send(res, 401, 'Send the token as: Authorization: Bearer <token>\n', { 'WWW-Authenticate': 'Bearer' })
  }
  send(res, 200, await metrics.write(), { 'Content-Type': metrics.contentType })
}

/** The digests have one length, and comparing them tells nothing about the token. */
function isToken({ headers }: IncomingMessage, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(Buffer.from(hashText(given)), Buffer.from(hashText(token)))
}

function send(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text)
}

function fail(err: unknown, res: ServerResponse, log: Logger): void {
  log.error({ err }, 'the metrics cannot be read')
  send(res, 500, 'The metrics cannot be read. The log of the server has the reason.\n')
}
