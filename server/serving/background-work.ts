import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { credentialOwner, parseCredential } from '../agent/agent-source.ts'
import type { AgentRunnerSettings } from '../agent/runner-settings.ts'
import { describeEngine, describeProgram } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import type { ClaimLoop } from '../base/claim-loop.ts'
import { createClockCheck } from '../base/clock-check.ts'
import { startRetirement } from '../base/retire-old.ts'
import { agentJobPath } from '../dashboard/pages/agent-job-path.ts'
import { startCacheRetention } from '../export/jobs/cache-retention.ts'
import { startRetention } from '../export/jobs/retention.ts'
import { type Runner, startRunner } from '../export/jobs/runner.ts'
import type { CacheSettings } from '../export/model/site-cache.ts'
import { lockFolder } from '../store/folder-lock.ts'
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
import type { BundleComparison } from '../workers/compare-in-thread.ts'
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
export function startExports(
  { config, dataFolder, store, bundles, workBoard, log }: Parts,
  { compare }: Pick<BundleComparison, 'compare'>,
): Runner {
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
    compareBundles: compare,
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

/**
 * Claims agent jobs and lets agents work on them. Most servers have no agent, and do not load what runs one.
 *
 * @param url where the server listens
 */
export function startAgents(parts: Parts, url: string): ClaimLoop | undefined {
  const { agentRunner } = parts.config
  if (!agentRunner) return undefined
  // The server answers before the runner is loaded.
  const runner = loadAgentRunner(parts, agentRunner, url)
  return {
    wake: () => void runner.then(({ wake }) => wake()),
    stop: async () => (await runner).stop(),
  }
}

async function loadAgentRunner(
  { config, dataFolder, store, log }: Parts,
  settings: AgentRunnerSettings,
  url: string,
): Promise<ClaimLoop> {
  const { startAgentRunner } = await import('../agent/run/agent-runner.ts')
  const { findRunnerProblem } = await import('../agent/run/find-runner-problem.ts')
  findRunnerProblem(settings)
    .then(problem => problem !== undefined && log.warn({}, `agent jobs will wait: ${problem}`))
    .catch(error => log.warn({ err: error }, 'could not find out whether agents can run'))
  const secrets = openSecretBox(dataFolder, config.webhookKeyFile)
  const { agentRuns, agentSources } = store
  return startAgentRunner({
    agentRuns,
    agentSources,
    openCredential: (projectId, sealed) => parseCredential(secrets.open(credentialOwner(projectId), sealed)),
    settings,
    relay: describeProgram('agent/session/relay'),
    async pageOf(projectId, id) {
      const project = config.dashboard ? await store.projects.find(projectId) : undefined
      const path = agentJobPath({ projectId, id })
      return project ? `${config.publicUrl ?? url}/dashboard/${project.organizationId}${path}` : null
    },
    workFolders: join(dataFolder, 'work', 'agents'),
    lockFolder,
    owner: `${process.pid}-${randomUUID()}`,
    leaseMs: config.leaseMs,
    now: Date.now,
    log,
  })
}

/** How long a problem of agents stays known: looking starts programs. */
const agentProblemMs = 10_000

/** Returns the function that says why agents cannot run here, see `DashboardDeps`. */
export function createAgentCheck({ agentRunner, role, database }: Parts['config']): () => Promise<string | undefined> {
  // Where servers share a database, another one may run agents.
  if (!agentRunner || role === 'api' || database !== undefined) return async () => undefined
  const look = async () => (await import('../agent/run/find-runner-problem.ts')).findRunnerProblem(agentRunner)
  let known: { problem: Promise<string | undefined>; at: number } | undefined
  return async () => {
    const at = performance.now()
    const isKnown = known && ((await known.problem) === undefined || at - known.at < agentProblemMs)
    if (isKnown && known) return known.problem
    const next = { problem: look(), at }
    known = next
    next.problem.catch(() => {
      if (known === next) known = undefined
    })
    return next.problem
  }
}

/** Starts the periodic work: what one server does for all, and what each does for its caches. */
export function startLoops(
  { config, dataFolder, store, bundles, lost, log }: Parts,
  siteCaches: StoredSiteCaches | null,
  wakeWebhooks: () => void,
): Stoppable[] {
  const { exportJobs, projects, agentJobs, agentRuns, auditLog, clockStates, exclusively } = store
  const clock = createClockCheck({ states: clockStates, now: Date.now, log })
  const withClock = { exclusively, clock, log }
  return [
    startRetention({
      exportJobs,
      bundles,
      lost,
      workFolder: join(dataFolder, 'work'),
      retentionDays: config.exportRetentionDays,
      ...withClock,
      now: Date.now,
    }),
    startVisitorRetention({
      dataFolder,
      database: config.database,
      projects,
      retentionDays: config.visitorRetentionDays,
      keyGraceDays: config.visitorKeyGraceDays,
      ...withClock,
    }),
    startCopyRetention({ dataFolder, clock, now: Date.now, log }),
    startRetirement({
      what: 'agent jobs',
      done: 'archived',
      retentionDays: config.agentJobRetentionDays,
      retire: (before, now, limit) => agentJobs.archiveOlderThan(before, now, limit),
      ...withClock,
    }),
    startRetirement({
      what: 'events of agent jobs',
      done: 'deleted',
      retentionDays: config.agentLogRetentionDays,
      retire: (before, _, limit) => agentRuns.expireLogs(before, limit),
      ...withClock,
    }),
    startRetirement({
      what: 'audit events',
      done: 'deleted',
      retentionDays: config.auditRetentionDays,
      retire: (before, _, limit) => auditLog.expire(before, limit),
      ...withClock,
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
