// A long file: the life of a host, from its start over its updates to its end.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { viewPath } from '../analytics/page.ts'
import { countedStatus, readSentPage } from '../analytics/sent-view.ts'
import { loadViewScript, viewScript, viewScriptHeaders, viewScriptPath } from '../analytics/view-script.ts'
import { readAsset } from '../assets.ts'
import type { Background, Stoppable } from '../base/background.ts'
import { hostUpdates } from '../base/measures.ts'
import { OperatorError } from '../base/operator-error.ts'
import { repeat } from '../base/timer.ts'
import type { HostConfig } from '../flags/host-settings.ts'
import { type ActiveVersions, createActiveVersions } from '../host/active-versions.ts'
import { digestAddress } from '../host/fetch/fetch-bundle.ts'
import { openAccessLog } from '../host/serve/access-log.ts'
import { createClientFinder } from '../host/serve/client-address.ts'
import { createSiteHandler } from '../host/serve/site-handler.ts'
import { createUpdater, type UpdateProgress, type Updater, whyNotAsked } from '../host/updater.ts'
import { type HostFolder, openHostFolder } from '../host/versions/host-folder.ts'
import { mayServe } from '../host/versions/trust.ts'
import type { Version } from '../host/versions/version.ts'
import { findBadForm } from '../http/request-form.ts'
import { lockFolder } from '../store/folder-lock.ts'
import { type FollowSetup, startFollowingLogs } from '../workers/follow-logs.ts'
import { createFeed } from './host-feed.ts'
import { addCommonMetrics, measureRequests } from './metrics/common-metrics.ts'
import { addHostMetrics } from './metrics/host-metrics.ts'
import { openMetrics } from './metrics/open-metrics.ts'
import { openListener, type RunningServer, startServing } from './running-server.ts'

const lookAtStateMs = 1000

/** Objects that several parts of the host use. */
interface Parts {
  config: HostConfig
  folder: HostFolder
  versions: ActiveVersions
  updater: Updater
  log: Logger
  terminal: HostTerminal | null
  /** Serves a version from now on. */
  activate(version: Version): void
}

/** Shows a person at a terminal what the host does. */
export interface HostTerminal {
  progress(progress: UpdateProgress): void
  /** What `progress` showed has ended. */
  clear(): void
  /** A version is served from now on. */
  serving(version: Version): void
}

interface StartOptions {
  /** How the visits in the access log are counted; null = they are not. */
  follow: FollowSetup | null
  terminal: HostTerminal | null
  /** Ends the start. */
  signal: AbortSignal
}

/**
 * Serves the last good version at once, and fetches the bundle. Without a good version, waits for the bundle.
 *
 * @throws {OperatorError} when there is nothing to serve.
 * @throws {Error} with code EADDRINUSE, EACCES ... when it cannot listen on the address.
 */
export async function startHost(config: HostConfig, options: StartOptions, log: Logger): Promise<RunningServer> {
  return startServing(background => start(config, options, log, background), log)
}

async function start(
  config: HostConfig,
  { follow, terminal, signal }: StartOptions,
  log: Logger,
  background: Background,
) {
  expectSignals(background)
  const folder = await openFolder(config, background)
  const headStart = config.countViews ? loadViewScript(config.countViews) : ''
  const versions = createActiveVersions(folder, { ...config, headStart })
  const activate = (version: Version) => {
    terminal?.clear()
    if (serveVersion({ config, versions, log }, version)) terminal?.serving(version)
  }
  const onProgress = terminal?.progress
  const updater = createUpdater({ settings: config.update, folder, now: Date.now, activate, log, onProgress })
  const parts: Parts = { config, folder, versions, updater, log, terminal, activate }

  await openMetrics(config.metrics, { background, log }, metrics => {
    addCommonMetrics(metrics, config.dataFolder)
    addHostMetrics(metrics, versions, config.update.label)
  })
  const first = await updater.findFirst()
  if (first) activate(first)
  const accessLog = background.add(openLogOfAccess(config, log))
  const { host, port, drainMs } = config
  const answerLate = (res: ServerResponse) => res.writeHead(503, { Connection: 'close' }).end()
  const { url, closing, answer } = await openListener({ host, port, drainMs, answerLate }, log, 'GET, HEAD')
  const ready = { isClosing: false }
  const site = answerViews(config, accessLog, createFeed(parts, accessLog, createSiteListener(parts, accessLog)))
  const withTools = config.mcp ? await answerTools(parts, accessLog, site) : site
  const listener = refuseBadForm(accessLog, answerHealth(parts, ready, withTools))
  answer(config.metrics ? measureRequests(listener) : listener)
  background.add(closing)
  if (follow) background.add(startFollowingLogs({ setup: follow, log }))
  log.info({ url, dataFolder: config.dataFolder, version: first?.id ?? null }, 'listening')
  background.add(await startUpdates(parts, signal))
  return {
    url,
    shutDown() {
      ready.isClosing = true
    },
  }
}

/** SIGHUP would end a host that does not listen to it yet. The first update finds what is announced before it. */
function expectSignals(background: Background): void {
  const wait = () => {}
  process.on('SIGHUP', wait)
  background.add({ stop: () => void process.off('SIGHUP', wait) })
}

async function openFolder({ dataFolder, update }: HostConfig, background: Background): Promise<HostFolder> {
  const folder = await openHostFolder(dataFolder).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`--data ${dataFolder} cannot be used (${error.message}). Name another folder.`, 2)
  })
  const unlock = lockFolder(dataFolder)
  if (!unlock)
    throw new OperatorError(`Another host uses --data ${dataFolder}. Stop it, or name another folder with --data.`)
  background.add({ stop: unlock })
  await folder.sweep(update.source?.kind === 'url' ? digestAddress(update.source.url) : null)
  return folder
}

/** Returns whether the version was not served before. */
function serveVersion(
  { config, versions, log }: Pick<Parts, 'config' | 'versions' | 'log'>,
  version: Version,
): boolean {
  if (versions.current()?.id === version.id) return false
  versions.activate(version)
  const { id, label, domain, pages, files, deployment } = version
  log.info({ version: id, label, domain, pages, files }, 'serving a version')
  if (deployment !== null && deployment !== config.switches.deployment)
    log.warn(
      { bundle: deployment, host: config.switches.deployment },
      'the bundle was exported for another deployment; what its pages may use is decided by --deployment of the host',
    )
  return true
}

/** Returns a listener that refuses what violates HTTP, as the server of the API does. */
function refuseBadForm({ note }: { note?: NoteRequest }, next: RequestListener): RequestListener {
  return (req, res) => {
    if (req.httpVersionMajor < 1) return void req.socket.destroy()
    const error = findBadForm(req)
    if (!error) return next(req, res)
    if (note) res.once('close', () => note(req, res, 0))
    sendStatus(res, error.status, { error: error.message })
  }
}

/** Returns a listener that answers the two addresses for monitors, and leaves all others to the site. */
function answerHealth(
  { config, versions }: Parts,
  ready: { isClosing: boolean },
  site: RequestListener,
): RequestListener {
  return (req, res) => {
    const { url } = req
    if (url === '/healthz') return sendStatus(res, 200, { status: 'ok' })
    if (url !== '/readyz') return site(req, res)
    const served = versions.currentVersion()
    const reason = ready.isClosing ? 'shutting down' : whyNotAsked(served, config.update)
    const status = reason === undefined ? { status: 'ready' } : { status: 'not ready', reason }
    if (served) res.setHeader('Quire-Bundle', served.id)
    sendStatus(res, reason === undefined ? 200 : 503, {
      ...status,
      bundle: served?.id ?? null,
      version: served?.label ?? null,
    })
  }
}

function sendStatus(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': length, 'Cache-Control': 'no-store' }
  res.writeHead(status, headers).end(text)
}

/** Returns a listener that answers the script for counting and its requests, if the host counts views. */
function answerViews({ countViews }: HostConfig, { note }: { note?: NoteRequest }, site: RequestListener) {
  if (!countViews) return site
  return (req: IncomingMessage, res: ServerResponse) => {
    const [path, query = ''] = (req.url ?? '').split('?', 2)
    if (req.method !== 'GET' || (path !== viewPath && path !== viewScriptPath)) return site(req, res)
    if (note) res.once('close', () => note(req, res, path === viewPath ? 0 : viewScript.length))
    if (path === viewScriptPath) return void res.writeHead(200, viewScriptHeaders).end(viewScript)
    const isWrong = readSentPage(query).refusal === 'bad-path'
    res.writeHead(isWrong ? 400 : countedStatus, { 'Cache-Control': 'no-store' }).end()
  }
}

/** Returns a listener that answers agents, and leaves all other addresses to the site. Its modules are loaded only for it. */
async function answerTools(
  { config, folder, versions, log }: Parts,
  { note }: { note?: NoteRequest },
  site: RequestListener,
): Promise<RequestListener> {
  const { createMcpListener, mcpPath } = await import('../host/mcp/mcp-handler.ts')
  const { createHostLibrary } = await import('../host/mcp/host-library.ts')
  const tools = createMcpListener({
    ...createHostLibrary(folder, () => versions.current()?.id ?? null),
    programVersion: JSON.parse(readAsset('package.json')).version,
    origins: config.corsOrigins,
    findClient: createClientFinder(config.trustedProxies),
    now: Date.now,
    onEnd: note,
    onError: error => log.warn({ err: error }, 'a request of an agent failed'),
  })
  return (req, res) => (req.url?.split('?', 1)[0] === mcpPath ? tools(req, res) : site(req, res))
}

type NoteRequest = (req: IncomingMessage, res: ServerResponse, sentBytes: number) => void

function createSiteListener({ config, versions, log }: Parts, accessLog: { note?: NoteRequest }): RequestListener {
  return createSiteHandler({
    ...versions,
    corsOrigins: config.corsOrigins,
    onEnd: accessLog.note,
    onError: error => log.error({ err: error }, 'a file cannot be read'),
  })
}

function openLogOfAccess({ accessLog, trustedProxies }: HostConfig, log: Logger): Stoppable & { note?: NoteRequest } {
  if (accessLog === null) return { stop() {} }
  return openAccessLog({
    file: accessLog === '-' ? null : accessLog,
    findClient: createClientFinder(trustedProxies),
    now: Date.now,
    onLoss: error => log.error({ err: error, file: accessLog }, 'lines of the access log are lost'),
  })
}

/**
 * Fetches the bundle, and looks after changes: at the source, and of the state, which a rollback replaces.
 *
 * @throws {OperatorError} when there is nothing to serve and no later attempt.
 */
async function startUpdates(parts: Parts, signal: AbortSignal): Promise<Stoppable> {
  const { config, versions, log } = parts
  const stopping = new AbortController()
  const update = createAttempt(parts, AbortSignal.any([stopping.signal, signal]))
  const looking = repeat(lookAtStateMs, createStateWatch(parts, await parts.folder.stampState()))
  const first = update()
  const stop = async () => {
    stopping.abort(new OperatorError('The host was stopped.'))
    process.off('SIGHUP', update)
    await Promise.all([looking.stop(), watching?.stop(), first])
  }
  const watching = config.watchMs === null ? null : repeat(config.watchMs, async () => void (await update()))
  process.on('SIGHUP', update)
  if (versions.current()) return { stop }
  const error = await first
  if (versions.current() || watching) return { stop }
  await stop()
  log.flush()
  throw error ?? new OperatorError('There is no version to serve. Name a bundle: a file or a link.', 2)
}

/** Returns a function that updates once, after a running update. It resolves with the error of a failed update. */
function createAttempt({ updater, versions, log, terminal }: Parts, signal: AbortSignal): () => Promise<Error | null> {
  let running: Promise<Error | null> | null = null
  /** A bundle that is announced while an older one is unpacked must not be missed. */
  let isAskedAgain = false
  let lastMessage = ''
  async function attempt(): Promise<Error | null> {
    try {
      const outcome = await updater.update(signal)
      terminal?.clear()
      lastMessage = ''
      hostUpdates.tell(outcome)
      log.debug({ outcome }, 'asked for a new bundle')
      return null
    } catch (error) {
      terminal?.clear()
      const { message } = error as Error
      const serving = versions.current()?.id ?? null
      const details = error instanceof OperatorError ? { reason: message, serving } : { err: error, serving }
      // At each poll it would be the same line.
      if (!signal.aborted && message !== lastMessage)
        log.warn(details, serving ? 'no new bundle; the last good version is served' : 'no bundle')
      hostUpdates.tell('failed')
      log.debug({ outcome: 'failed' }, 'asked for a new bundle')
      lastMessage = message
      return error as Error
    }
  }
  async function attemptUntilLast(): Promise<Error | null> {
    for (;;) {
      isAskedAgain = false
      const error = await attempt()
      if (!isAskedAgain || signal.aborted) return error
    }
  }
  return () => {
    if (running) isAskedAgain = true
    running ??= attemptUntilLast().finally(() => {
      running = null
    })
    return running
  }
}

/** @param stamp of the state at start. */
function createStateWatch({ folder, config, log, versions, activate }: Parts, stamp: string): () => Promise<void> {
  return async () => {
    try {
      const next = await folder.stampState()
      if (next === stamp) return
      stamp = next
      const { current } = await folder.readState()
      if (current === null || current === versions.current()?.id) return
      const version = (await folder.list()).find(({ id }) => id === current)
      if (version && mayServe(version, config.update.trusted)) activate(version)
      else if (version)
        log.warn({ version: version.id }, 'no trusted key signed the version of the rollback; it is not served')
    } catch (error) {
      log.error({ err: error }, 'the state of the host cannot be read')
    }
  }
}
