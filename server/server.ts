import type { Logger } from 'pino'
import { type Background, together } from './base/background.ts'
import type { Config } from './config.ts'
import { watchBrowser } from './export/jobs/browser-alarm.ts'
import { answerLate } from './http/errors.ts'
import { listensEverywhere } from './http/listen.ts'
import { createHealthApp } from './http/pipeline.ts'
import { createReadiness } from './http/readiness.ts'
import { createApi, openComparison, prepareApi } from './serving/api.ts'
import { openExportCaches, startAgents, startExports, startFollowing, startLoops } from './serving/background-work.ts'
import { addCommonMetrics } from './serving/metrics/common-metrics.ts'
import { openMetrics } from './serving/metrics/open-metrics.ts'
import { addServerMetrics } from './serving/metrics/server-metrics.ts'
import { openParts } from './serving/parts.ts'
import { openListener, type RunningServer, startServing } from './serving/running-server.ts'
import { startSchedules } from './serving/schedules.ts'
import { startWebhooks, wakeAfterChanges } from './serving/webhooks.ts'
import type { Store } from './store/store.ts'

/** The server of the API. `close` also gives leases back. */
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
  return startServing(background => start(config, log, background), log)
}

async function start(config: Config, log: Logger, background: Background) {
  let wakeWebhooks = () => {}
  const parts = wakeAfterChanges(await openParts(config, log, background), () => wakeWebhooks())
  const { dataFolder, store } = parts
  const { role } = config
  const api = role === 'runner' ? undefined : await prepareApi(parts, background)
  const siteCaches = role === 'api' ? null : await openExportCaches(parts)
  await openMetrics(config.metrics, { background, log }, metrics => {
    addCommonMetrics(metrics, dataFolder)
    addServerMetrics(metrics, parts)
  })
  const { whyNotReady, shutDown } = createReadiness(store.check, needsBrowser(config) ? watchBrowser() : undefined)

  const { host, port, drainMs, slowMs } = config
  const { server, url, closing, answer } = await openListener({ host, port, drainMs, answerLate }, log)
  const comparison = api?.comparison ?? background.add(openComparison(parts))
  const runner = role === 'api' ? undefined : startExports(parts, comparison)
  const wakeRunner = () => runner?.wake()
  const agents = role === 'api' ? undefined : startAgents(parts, url)
  const deliverer = role === 'api' ? undefined : startWebhooks(parts)
  if (deliverer) wakeWebhooks = deliverer.wake
  const app = api
    ? createApi(parts, api, { url, wakeRunner, wakeAgents: () => agents?.wake(), whyNotReady })
    : createHealthApp({ whyNotReady, log, slowMs })
  answer(app)
  background.add(
    together(
      closing,
      startFollowing(parts),
      ...(agents ? [agents] : []),
      ...(runner && deliverer
        ? [runner, deliverer, ...startLoops(parts, siteCaches, deliverer.wake), startSchedules(parts, wakeRunner)]
        : []),
    ),
  )
  log.info({ url, dataFolder, publicUrl: config.publicUrl ?? url, ...(role !== 'all' && { role }) }, 'listening')
  if (api && listensEverywhere(server)) warnOfAddress(config, url, log)
  return { url, store, shutDown }
}

/** Whether the server does nothing but exports, most of which need a browser. Others answer requests without one. */
function needsBrowser({ role, exportVerify }: Config): boolean {
  return role === 'runner' && exportVerify !== 'static'
}

/** Says so when bundle links name an address that clients on other machines cannot reach. */
function warnOfAddress({ publicUrl, trustedProxies }: Config, url: string, log: Logger): void {
  if (publicUrl !== undefined || trustedProxies.length > 0) return
  log.warn(
    { publicUrl: url },
    `no public address is known, so bundle links begin with ${url}, which works on this machine only; set --public-url`,
  )
}
