import type { Logger } from 'pino'
import { createHealthApp } from './app.ts'
import { type Background, createBackground, together } from './base/background.ts'
import type { Config } from './config.ts'
import { answerLate } from './http/errors.ts'
import { createGracefulClose } from './http/graceful-close.ts'
import { listen, listensEverywhere, urlOf } from './http/listen.ts'
import { createReadiness } from './http/readiness.ts'
import { answerUnreadable } from './http/unreadable.ts'
import { createApi, prepareApi } from './serving/api.ts'
import { openExportCaches, startExports, startFollowing, startLoops } from './serving/background-work.ts'
import { openParts } from './serving/parts.ts'
import type { Store } from './store/store.ts'

export interface RunningServer {
  /** The address that this process listens on, such as http://127.0.0.1:8787 */
  url: string
  /**
   * Stops the exports, finishes the requests in flight (10 s at most after `config.drainMs`), gives leases back and closes the
   * store.
   */
  close(): Promise<void>
}

/** The server of the API. */
export interface ApiServer extends RunningServer {
  /** Never blocks, see `openServingStore`. `close` closes it. */
  store: Store
}

/**
 * Opens the store, starts the background work and listens.
 *
 * @throws {OperatorError} when the data folder cannot be used, or a log can never be followed.
 * @throws {Error} with code EADDRINUSE, EACCES ... when it cannot listen on the address.
 */
export async function startServer(config: Config, log: Logger): Promise<ApiServer> {
  const background = createBackground()
  try {
    return await start(config, log, background)
  } catch (error) {
    await background.stop()
    throw error
  }
}

async function start(config: Config, log: Logger, background: Background): Promise<ApiServer> {
  const parts = await openParts(config, log, background)
  const { dataFolder, store } = parts
  const { role } = config
  const api = role === 'runner' ? undefined : await prepareApi(parts, background)
  const siteCaches = role === 'api' ? null : await openExportCaches(parts)
  const { whyNotReady, shutDown } = createReadiness(store.check)

  const server = await listen(config.host, config.port)
  const closing = createGracefulClose(server, { drainMs: config.drainMs, answerLate })
  const url = urlOf(server)
  answerUnreadable(server, log)
  const runner = role === 'api' ? undefined : startExports(parts, siteCaches)
  const wakeRunner = () => runner?.wake()
  server.on(
    'request',
    api ? createApi(parts, api, { url, wakeRunner, whyNotReady }) : createHealthApp({ whyNotReady, log }),
  )
  background.add(
    together(closing, startFollowing(parts), ...(runner ? [runner, ...startLoops(parts, siteCaches)] : [])),
  )
  log.info({ url, dataFolder, publicUrl: config.publicUrl ?? url, ...(role !== 'all' && { role }) }, 'listening')
  if (api && listensEverywhere(server)) warnOfAddress(config, url, log)
  return {
    url,
    store,
    async close() {
      shutDown()
      await background.stop()
      log.info('closed')
    },
  }
}

/** Says so when bundle links name an address that clients on other machines cannot reach. */
function warnOfAddress({ publicUrl, trustedProxies }: Config, url: string, log: Logger): void {
  if (publicUrl !== undefined || trustedProxies.length > 0) return
  log.warn(
    { publicUrl: url },
    `no public address is known, so bundle links begin with ${url}, which works on this machine only; set --public-url`,
  )
}
