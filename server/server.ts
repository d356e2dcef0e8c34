import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { startAgentJobRetention } from './agent/agent-job-retention.ts'
import { createApp } from './app.ts'
import { describeEngine, readAsset, startThread } from './assets.ts'
import type { Config } from './config.ts'
import { buildDocumentation } from './docs/documentation.ts'
import { exportSite } from './export/export-site.ts'
import { createBundleLinks } from './export/jobs/bundle-link.ts'
import { startRetention } from './export/jobs/retention.ts'
import { type Runner, startRunner } from './export/jobs/runner.ts'
import { openValidator } from './http/validator.ts'
import type { Deps } from './operations/deps.ts'
import { openBundleFiles } from './store/bundle-files.ts'
import { openSecret } from './store/secret-file.ts'
import { openSiteCaches, siteCachesFolder } from './store/site-cache/site-caches.ts'
import { openStore } from './store/store.ts'
import { createId } from './tenancy/id.ts'
import { checkFollowSettings } from './workers/check-follow.ts'
import { startVisitorCounting } from './workers/count-visitors.ts'
import { startFollowingLogs } from './workers/follow-logs.ts'
import { startVisitorRetention } from './workers/prune-visitors.ts'

export interface RunningServer {
  /** Where this process listens, such as http://127.0.0.1:8787 */
  url: string
  /** Finishes the requests in flight (10 s at most), gives leases back and closes the store. */
  close(): Promise<void>
}

const storeCheckMs = 3000
const closeWithinMs = 10_000
/** A path of 100,000 characters still gets the documented 404; beyond that Node answers 431. */
const maxHeaderBytes = 256 * 1024

/**
 * Opens the store, starts the runners and listens.
 *
 * @throws {DatabaseError} when the data folder cannot be used.
 * @throws {OperatorError} when a log that is to be followed never can be.
 * @throws {Error} with code EADDRINUSE, EACCES ... when the address cannot be listened on.
 */
export async function startServer(config: Config, log: Logger): Promise<RunningServer> {
  const dataFolder = resolve(config.dataFolder)
  const document = JSON.parse(readAsset('generated/openapi.json'))
  const validator = await openValidator(document, config)
  const store = openStore(dataFolder)
  const visitorCounts = startVisitorCounting({ dataFolder })
  let server: Server | undefined
  try {
    await checkFollowSettings(config.follow, store)
    const linkKey = openSecret(join(dataFolder, 'link.key'))
    const bundles = openBundleFiles(join(dataFolder, 'bundles'))
    const memories = openSiteCaches({
      folder: siteCachesFolder(dataFolder),
      maxBytes: config.exportCacheBytes,
      // Bundles are never written into, so each can be the same file.
      sharesArchives: true,
      warn: (details, message) => log.warn(details, message),
    })
    const domains = config.exportCache ? (await store.sites.list()).map(({ domain }) => domain) : []
    await memories.keepOnly(domains)
    const checkStore = createStoreCheck(store.check)
    let whyNotReady: string | undefined
    let runner: Runner | undefined

    const listening = await listen(config)
    server = listening
    const url = urlOf(listening)
    const publicUrl = config.publicUrl ?? url
    const deps: Deps = {
      ...store,
      visits: visitorCounts,
      bundleLinks: createBundleLinks({
        key: linkKey,
        publicUrl,
        ttlSeconds: config.linkTtlSeconds,
      }),
      wakeRunner: () => runner?.wake(),
      now: Date.now,
      createJobId: () => createId('se'),
    }
    const app = createApp({
      deps,
      admission: { apiKeys: store.apiKeys, rateLimits: store.rateLimits, keyPrefix: config.keyPrefix, now: Date.now },
      bundles,
      validator,
      documentation: buildDocumentation({ readText: readAsset, document }),
      publicUrl,
      bodyLimitBytes: config.bodyLimitBytes,
      whyNotReady: () => whyNotReady ?? checkStore(),
      log,
    })
    listening.on('request', app)
    runner = startRunner({
      exportJobs: store.exportJobs,
      sites: store.sites,
      bundles,
      memories: config.exportCache ? memories : null,
      engine: describeEngine(),
      exportSite,
      startThread,
      limits: config.exportLimits,
      verify: config.exportVerify,
      workFolder: join(dataFolder, 'work'),
      owner: `${process.pid}-${randomUUID()}`,
      leaseMs: config.leaseMs,
      now: Date.now,
      log,
    })
    const retention = startRetention({
      exportJobs: store.exportJobs,
      bundles,
      retentionDays: config.exportRetentionDays,
      now: Date.now,
      log,
    })
    const visitorRetention = startVisitorRetention({
      dataFolder,
      projects: store.projects,
      retentionDays: config.visitorRetentionDays,
      log,
    })
    const archiver = startAgentJobRetention(store.agentJobs, config.agentJobRetentionDays, log)
    const following = startFollowingLogs({ setup: { ...config.follow, dataFolder }, log })
    log.info({ url, dataFolder }, 'listening')

    return {
      url,
      async close() {
        whyNotReady = 'shutting down'
        archiver.stop()
        await Promise.all([
          closeServer(listening),
          runner?.stop(),
          retention.stop(),
          visitorRetention.stop(),
          following.stop(),
        ])
        await visitorCounts.close()
        store.close()
        log.info('closed')
      },
    }
  } catch (error) {
    server?.close()
    store.close()
    throw error
  }
}

/** Writes, so not more often than every few seconds however often it is asked. */
function createStoreCheck(check: (now: number) => void): () => string | undefined {
  let checkedAt = Number.NEGATIVE_INFINITY
  let reason: string | undefined
  return () => {
    const now = performance.now()
    if (now - checkedAt < storeCheckMs) return reason
    checkedAt = now
    try {
      check(Date.now())
      reason = undefined
    } catch (error) {
      reason = `the database cannot be written (${(error as { code?: unknown }).code ?? 'no reason given'})`
    }
    return reason
  }
}

async function listen({ host, port }: Config): Promise<Server> {
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 60_000, headersTimeout: 30_000 })
  server.on('clientError', answerUnreadable)
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(port, host, done)
  })
  return server
}

/** Answers what Node cannot read as a request, which never reaches the app. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const body = JSON.stringify({
    error: tooLarge ? 'The path or the headers of the request are too long.' : 'This is not a valid HTTP request.',
  })
  socket.end(
    `HTTP/1.1 ${tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>(done => server.close(() => done()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), closeWithinMs)
  await closed
  clearTimeout(timer)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
