import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { type Background, createBackground } from '../base/background.ts'
import { answerInTurn } from '../http/answer-in-turn.ts'
import { createGracefulClose, type GracefulCloseOptions } from '../http/graceful-close.ts'
import { listen, urlOf } from '../http/listen.ts'
import { answerUnreadable } from '../http/unreadable.ts'

export interface RunningServer {
  /** The address that this process listens on, such as http://127.0.0.1:8787 */
  url: string
  /** Stops the background work, finishes the requests in flight (10 s at most after the drain time), and closes what was opened. */
  close(): Promise<void>
}

/**
 * Starts a server. Stops what has started when the server closes, and also when it cannot start.
 *
 * @param start returns what has started. Its `shutDown` marks the server as not ready, before anything stops.
 */
export async function startServing<Started extends { url: string; shutDown(): void }>(
  start: (background: Background) => Promise<Started>,
  log: Logger,
): Promise<Started & RunningServer> {
  const background = createBackground()
  try {
    const started = await start(background)
    const close = async () => {
      started.shutDown()
      await background.stop()
      log.info('closed')
    }
    return { ...started, close }
  } catch (error) {
    await background.stop()
    throw error
  }
}

/**
 * Listens, and answers what is not a request. The caller calls `answer` at once, and stops `closing`.
 *
 * @param methods that the server answers; undefined = those of the API.
 * @throws {Error} with code EADDRINUSE, EACCES ... when it cannot listen on the address.
 */
export async function openListener(
  options: Pick<GracefulCloseOptions, 'drainMs' | 'answerLate'> & { host: string; port: number },
  log: Logger,
  methods?: string,
) {
  const server = await listen(options.host, options.port)
  const closing = createGracefulClose(server, options)
  answerUnreadable(server, log, methods)
  const answer = (listener: RequestListener) => server.on('request', answerInTurn(closing.counting(listener)))
  return { server, url: urlOf(server), closing, answer }
}
