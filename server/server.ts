import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { startAgentJobRetention } from './agent/agent-job-retention.ts'
import { createApp } from './app.ts'
import { describeEngine, readAsset, startThread } from './assets.ts'
import { type Background, createBackground, type Stoppable, together } from './base/background.ts'
import { createClockCheck } from './base/clock-check.ts'
import { hashText } from './base/digest.ts'
import type { Config } from './config.ts'
import type { DashboardDeps } from './dashboard/deps.ts'
import type { ApiDocument } from './docs/api-document.ts'
import type { exportSite } from './export/export-site.ts'
import { createBundleLinks, type LinkKeys } from './export/jobs/bundle-link.ts'
import type { BundleStore } from './export/jobs/bundle-store.ts'
import type { LostFolder } from './export/jobs/lost-folder.ts'
import { startRetention } from './export/jobs/retention.ts'
import { type Runner, startRunner } from './export/jobs/runner.ts'
import { recoverLost } from './export/jobs/strays.ts'
import { createWorkBoard, type WorkBoard } from './export/jobs/work-board.ts'
import type { SiteCaches } from './export/model/site-cache.ts'
import { createClientFinder } from './host/serve/client-address.ts'
import type { Finders } from './http/admit.ts'
import type { LoadDocumentation } from './http/documentation.ts'
import { answerLate } from './http/errors.ts'
import { createGracefulClose } from './http/graceful-close.ts'
import { listen, listensEverywhere, urlOf } from './http/listen.ts'
import { createReadiness } from './http/readiness.ts'
import { createServerAddress } from './http/server-address.ts'
import { answerUnreadable } from './http/unreadable.ts'
import { openValidator } from './http/validator.ts'
import { isListedByOthers, protectFiles } from './store/data-folder.ts'
import { openLinkKeys } from './store/link-keys.ts'
import { openLostFolder } from './store/lost-files.ts'
import { checkBundles, openBundles } from './store/open-bundles.ts'
import { openServingStore } from './store/serving-store.ts'
import { forgetSite, openSiteCaches, siteCachesFolder, sortSiteCaches } from './store/site-cache/site-caches.ts'
import type { Store } from './store/store.ts'
import { startCopyRetention } from './store/upgrade-copy-retention.ts'
import { explainLoss } from './store/visits/visit-database.ts'
import { createId } from './tenancy/id.ts'
import { startVisitorCounting, type VisitorCountsThread } from './workers/count-visitors.ts'
import { startFollowingLogs } from './workers/follow-logs.ts'
import { startVisitorRetention } from './workers/prune-visitors.ts'

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

/** Objects that several parts of the server use. */
interface Parts {
  config: Config
  dataFolder: string
  store: Store
  bundles: BundleStore
  lost: LostFolder
  workBoard: WorkBoard
  log: Logger
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
  const dataFolder = resolve(config.dataFolder)
  const documentTexts = { json: readAsset('generated/openapi.json'), yaml: readAsset('generated/openapi.yaml') }
  const document = JSON.parse(documentTexts.json)
  const validator = await openValidator(document, config)
  const store = openServingStore(dataFolder)
  background.add({ stop: store.close })
  const visits = background.add(startVisitorCounting({ dataFolder }))
  await checkFollow(config, store)
  const lost = openLostFolder(dataFolder)
  const warn = (details: object, message: string) => log.error(details, message)
  const { noteDamage } = store.exportJobs
  const opened = await openBundles({ dataFolder, location: config.bundles, report: warn, noteDamage })
  const { bundles } = background.add(opened)
  await checkBundles(opened, log)
  const parts: Parts = { config, dataFolder, store, bundles, lost, workBoard: createWorkBoard(), log }
  await prepareFiles(parts)
  const linkKeys = openLinkKeys(dataFolder)
  const siteCaches = await openExportCaches(parts)
  const readiness = createReadiness(store.check)

  const server = await listen(config.host, config.port)
  const closing = createGracefulClose(server, { drainMs: config.drainMs, answerLate })
  const url = urlOf(server)
  answerUnreadable(server, log)
  const runner = startExports(parts, siteCaches)
  const deps = createDeps({ parts, linkKeys, visits, runner })
  const finders = createFinders(config, url)
  server.on(
    'request',
    createApp({
      deps,
      admission: { apiKeys: store.apiKeys, rateLimits: store.rateLimits, keyPrefix: config.keyPrefix, now: Date.now },
      bundles,
      organizations: store.organizations,
      validator,
      loadDocumentation: createDocumentationLoader(document),
      documentTexts,
      ...finders,
      dashboard: config.dashboard ? { deps, ...finders, log } : undefined,
      corsOrigins: config.corsOrigins,
      bodyLimitBytes: config.bodyLimitBytes,
      whyNotReady: readiness.whyNotReady,
      log,
    }),
  )
  background.add(together(closing, runner, ...startLoops(parts)))
  log.info({ url, dataFolder, publicUrl: config.publicUrl ?? url }, 'listening')
  if (listensEverywhere(server)) warnOfAddress(config, url, log)
  return {
    url,
    store,
    async close() {
      readiness.shutDown()
      await background.stop()
      log.info('closed')
    },
  }
}

function createFinders(config: Config, listenUrl: string): Finders {
  const findAddress = createServerAddress({ ...config, listenUrl })
  return { findAddress, findClient: createClientFinder(config.trustedProxies) }
}

/** Most servers follow no log, and do not load what reads one. */
async function checkFollow({ follow }: Config, store: Store): Promise<void> {
  if (follow.logs.length === 0) return
  const { checkFollowSettings } = await import('./workers/check-follow.ts')
  await checkFollowSettings(follow, store)
}

/** Builds the documentation for the first request of one of its pages. */
function createDocumentationLoader(document: ApiDocument): LoadDocumentation {
  const load = async () => {
    const { buildDocumentation } = await import('./docs/documentation.ts')
    return buildDocumentation({ readText: readAsset, document })
  }
  let loaded: ReturnType<typeof load> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

/** Loads the export engine for the first export: the server starts faster without it, and needs less memory. */
const loadAndExport: typeof exportSite = async options => (await import('./export/export-site.ts')).exportSite(options)

/** Makes files of earlier versions private, takes back bundles that a restored database knows, and reports lost visits. */
async function prepareFiles({ dataFolder, store, bundles, lost, log }: Parts): Promise<void> {
  await protectFiles(dataFolder)
  if (isListedByOthers(dataFolder)) {
    log.warn({ dataFolder }, 'other users can list the data folder; give it to the user of the server with mode 0700')
  }
  await recoverLost({ exportJobs: store.exportJobs, bundles, lost, log })
  for (const { projectId, file, problem } of await store.visits.listLost()) {
    log.error(
      { projectId, file },
      `the file of the visits of a project is unusable: ${explainLoss(projectId, problem)}`,
    )
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

function createDeps(options: {
  parts: Parts
  linkKeys: LinkKeys
  visits: VisitorCountsThread
  runner: Runner
}): DashboardDeps {
  const { parts, linkKeys, visits, runner } = options
  return {
    ...parts.store,
    keyPrefix: parts.config.keyPrefix,
    dataFolder: parts.dataFolder,
    followedLogs: parts.config.follow.logs,
    forgetCache: domain => forgetSite(siteCachesFolder(parts.dataFolder), domain),
    visits,
    maxQueuedExports: parts.config.maxQueuedExports,
    bundles: parts.bundles,
    workBoard: parts.workBoard,
    bundleLinks: createBundleLinks({ keys: linkKeys, ttlSeconds: parts.config.linkTtlSeconds }),
    wakeRunner: runner.wake,
    now: Date.now,
    createJobId: () => createId('se'),
    hashText,
  }
}

/** Opens the export caches, and moves those of unknown sites to the lost folder; null when the cache is off. */
async function openExportCaches({ config, dataFolder, store, lost, log }: Parts): Promise<SiteCaches | null> {
  if (!config.exportCache) return null
  const folder = siteCachesFolder(dataFolder)
  const domains = (await store.sites.list()).map(({ domain }) => domain)
  const { moved } = await sortSiteCaches(folder, lost, domains)
  if (moved.length > 0) log.warn({ moved }, 'moved caches of sites that are not registered to the folder lost')
  return openSiteCaches({
    folder,
    maxBytes: config.exportCacheBytes,
    // Bundles are never changed after they are written, so the cache can link to them.
    sharesArchives: true,
    warn: (details, message) => log.warn(details, message),
  })
}

function startExports(
  { config, dataFolder, store, bundles, workBoard, log }: Parts,
  siteCaches: SiteCaches | null,
): Runner {
  return startRunner({
    exportJobs: store.exportJobs,
    sites: store.sites,
    bundles,
    siteCaches,
    engine: describeEngine(),
    exportSite: loadAndExport,
    startThread,
    limits: config.exportLimits,
    verify: config.exportVerify,
    allowLoss: config.exportAllowLoss,
    workFolder: join(dataFolder, 'work'),
    owner: `${process.pid}-${randomUUID()}`,
    leaseMs: config.leaseMs,
    workBoard,
    exportsAtOnce: config.exportsAtOnce,
    now: Date.now,
    log,
  })
}

/** Starts the periodic background work. */
function startLoops({ config, dataFolder, store, bundles, lost, log }: Parts): Stoppable[] {
  const { exportJobs, projects, agentJobs, clockStates } = store
  const clock = createClockCheck({ states: clockStates, now: Date.now, log })
  return [
    startRetention({
      exportJobs,
      bundles,
      lost,
      workFolder: join(dataFolder, 'work'),
      retentionDays: config.exportRetentionDays,
      clock,
      now: Date.now,
      log,
    }),
    startVisitorRetention({
      dataFolder,
      projects,
      retentionDays: config.visitorRetentionDays,
      keyGraceDays: config.visitorKeyGraceDays,
      clock,
      log,
    }),
    startCopyRetention({ dataFolder, clock, now: Date.now, log }),
    startAgentJobRetention({ agentJobs, retentionDays: config.agentJobRetentionDays, clock, log }),
    startFollowingLogs({ setup: { ...config.follow, dataFolder }, log }),
  ]
}
