import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describeEngine } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import { createClockCheck } from '../base/clock-check.ts'
import { startRetirement } from '../base/retire-old.ts'
import { startCacheRetention } from '../export/jobs/cache-retention.ts'
import { startRetention } from '../export/jobs/retention.ts'
import { type Runner, startRunner } from '../export/jobs/runner.ts'
import type { CacheSettings } from '../export/model/site-cache.ts'
import {
  openSiteCaches,
  type StoredSiteCaches,
  siteCachesFolder,
  sortSiteCaches,
} from '../store/site-cache/site-caches.ts'
import { startCopyRetention } from '../store/upgrade-copy-retention.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import { parseRecordedLogin } from '../web/login/recorded-login.ts'
import { startUpkeep } from '../webhooks/upkeep.ts'
import { startFollowingLogs } from '../workers/follow-logs.ts'
import { startVisitorRetention } from '../workers/prune-visitors.ts'
import { createRunExport } from '../workers/run-export.ts'
import type { Parts } from './parts.ts'
import { createLastVisitFinder } from './webhooks.ts'

/** Exports leave the processor to requests: at 10, a process gets a tenth of what one at 0 gets, where both want all. */
const exportNiceness = 10

/** Opens the export caches, and moves those of unknown sites to the lost folder; null when the cache is off. */
export async function openExportCaches({
  config,
  dataFolder,
  store,
  lost,
  log,
}: Parts): Promise<StoredSiteCaches | null> {
  if (!config.exportCache) return null
  const cache = locateCaches(config, dataFolder)
  const domains = (await store.sites.list()).map(({ domain }) => domain)
  const { moved } = await sortSiteCaches(cache.folder, lost, domains)
  if (moved.length > 0) log.warn({ moved }, 'moved caches of sites that are not registered to the folder lost')
  return openSiteCaches({ ...cache, warn: (details, message) => log.warn(details, message) })
}

function locateCaches({ exportCacheBytes }: Parts['config'], dataFolder: string): CacheSettings {
  // Bundles are never changed after they are written, so the cache can link to them.
  return { folder: siteCachesFolder(dataFolder), maxBytes: exportCacheBytes, sharesArchives: true }
}

/** Claims export jobs and runs them. */
export function startExports({ config, dataFolder, store, bundles, workBoard, log }: Parts): Runner {
  const secrets = openSecretBox(dataFolder, config.webhookKeyFile)
  return startRunner({
    exportJobs: store.exportJobs,
    sites: store.sites,
    async openLogin(domain) {
      const sealed = await store.sites.findLogin(domain)
      const id = `login ${domain}`
      return sealed === undefined ? null : parseRecordedLogin(secrets.open(id, sealed), `The ${id}`)
    },
    bundles,
    cache: config.exportCache ? locateCaches(config, dataFolder) : null,
    engine: describeEngine(),
    runExport: createRunExport(config.exportProcessLimits, exportNiceness),
    limits: config.exportLimits,
    verify: config.exportVerify,
    allowLoss: config.exportAllowLoss,
    allowNoSandbox: config.allowNoSandbox,
    workFolder: join(dataFolder, 'work'),
    owner: `${process.pid}-${randomUUID()}`,
    leaseMs: config.leaseMs,
    workBoard,
    exportsAtOnce: config.exportsAtOnce,
    hasOthers: config.database !== undefined,
    now: Date.now,
    log,
  })
}

/** Starts the periodic work: what one server does for all, and what each does for its caches. */
export function startLoops(
  { config, dataFolder, store, bundles, lost, log }: Parts,
  siteCaches: StoredSiteCaches | null,
  wakeWebhooks: () => void,
): Stoppable[] {
  const { exportJobs, projects, agentJobs, auditLog, clockStates, exclusively } = store
  const clock = createClockCheck({ states: clockStates, now: Date.now, log })
  return [
    startRetention({
      exportJobs,
      bundles,
      lost,
      workFolder: join(dataFolder, 'work'),
      retentionDays: config.exportRetentionDays,
      clock,
      exclusively,
      now: Date.now,
      log,
    }),
    startVisitorRetention({
      dataFolder,
      database: config.database,
      exclusively,
      projects,
      retentionDays: config.visitorRetentionDays,
      keyGraceDays: config.visitorKeyGraceDays,
      clock,
      log,
    }),
    startCopyRetention({ dataFolder, clock, now: Date.now, log }),
    startRetirement({
      what: 'agent jobs',
      done: 'archived',
      retentionDays: config.agentJobRetentionDays,
      retire: (before, now, limit) => agentJobs.archiveOlderThan(before, now, limit),
      exclusively,
      clock,
      log,
    }),
    startRetirement({
      what: 'audit events',
      done: 'deleted',
      retentionDays: config.auditRetentionDays,
      retire: (before, _, limit) => auditLog.expire(before, limit),
      exclusively,
      clock,
      log,
    }),
    startUpkeep({
      ...store,
      findLastVisit: createLastVisitFinder(store),
      clock,
      now: Date.now,
      wake: wakeWebhooks,
      log,
    }),
    ...(siteCaches ? [startCacheRetention({ siteCaches, sites: store.sites, log })] : []),
  ]
}

/** Starts following the logs of this machine. */
export function startFollowing({ config, dataFolder, log }: Parts): Stoppable {
  const { follow, database, visitorKeyFile, node } = config
  return startFollowingLogs({ setup: { ...follow, dataFolder, database, visitorKeyFile, node }, log })
}
