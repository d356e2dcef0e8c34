import { availableParallelism, totalmem } from 'node:os'
import { OperatorError } from '../base/operator-error.ts'
import { type Config, roles } from '../config.ts'
import { maxLinkTtlSeconds } from '../export/jobs/bundle-link.ts'
import { addressSettings, readAddresses } from './address-settings.ts'
import { agentSettings, readAgents } from './agent-settings.ts'
import { drainSettings, readDrains } from './drain-settings.ts'
import { followSettings, readFollowFlags } from './follow-settings.ts'
import { metricsSettings, readMetrics } from './metrics-settings.ts'
import { cacheMb, limitSettings, readLimits, readProcessLimits, runSettings } from './run-settings.ts'
import { type FlagsOf, integer, type Settings } from './setting.ts'
import { checkNodeFlags, shared } from './shared-settings.ts'

const gigabyte = 1024 ** 3
/** Memory for one more export: its browser, a thread and the pages it collected. */
const bytesPerExport = gigabyte
const maxDefault = 8
const logLevels: readonly string[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** The settings of every program that serves. */
export const processSettings = {
  drainSeconds: {
    flag: '--drain-seconds <number>',
    env: 'QUIRE_DRAIN_SECONDS',
    what: 'how long the server still listens after SIGTERM, while /readyz answers 503; for load balancers',
    default: 1,
    read: integer(0, 600),
  },
  logLevel: {
    flag: '--log-level <level>',
    env: 'QUIRE_LOG_LEVEL',
    what: 'lowest level to log',
    choices: logLevels,
    default: 'info',
  },
  logStyle: {
    flag: '--log-style <style>',
    // QUIRE_LOG_FORMAT is the format of the access logs that are read.
    env: 'QUIRE_LOG_STYLE',
    what: 'pretty = lines for people, json = JSON lines (default: pretty on a terminal)',
    choices: ['pretty', 'json'],
  },
  ...metricsSettings,
} as const satisfies Settings

const { drainSeconds, logLevel, logStyle, metricsAddress, metricsTokenFile } = processSettings

/** Every setting of the server. */
export const serveSettings = {
  data: shared.data,
  database: shared.database,
  bundles: shared.bundles,
  role: {
    flag: '--role <role>',
    env: 'QUIRE_ROLE',
    what:
      'what this server does: answer requests (api), run exports and delete by age (runner), or all; ' +
      'api and runner need --database and --bundles s3://',
    choices: roles,
    default: 'all',
  },
  linkKeyFile: shared.linkKeyFile,
  visitorKeyFile: shared.visitorKeyFile,
  webhookKeyFile: shared.webhookKeyFile,
  webhookAllowPrivate: shared.webhookAllowPrivate,
  node: shared.node,
  ...addressSettings,
  keyPrefix: { ...shared.keyPrefix, what: 'prefix of API keys' },
  linkTtlSeconds: {
    flag: '--link-ttl-seconds <number>',
    env: 'QUIRE_LINK_TTL_SECONDS',
    what: 'lifetime of a bundle link; at most 7 days',
    default: 3600,
    read: integer(1, maxLinkTtlSeconds),
  },
  bundleLinks: {
    flag: '--bundle-links <kind>',
    env: 'QUIRE_BUNDLE_LINKS',
    what: 'quire = bundle links lead to this server, presigned = to the S3-compatible storage of --bundles',
    choices: ['quire', 'presigned'],
    default: 'quire',
  },
  bodyLimitBytes: {
    flag: '--body-limit-bytes <number>',
    env: 'QUIRE_BODY_LIMIT_BYTES',
    what: 'maximum size of a request body',
    default: 1024 * 1024,
    read: integer(1024, 64 * 1024 * 1024),
  },
  ...drainSettings,
  leaseSeconds: {
    flag: '--lease-seconds <number>',
    env: 'QUIRE_LEASE_SECONDS',
    what: 'time without a heartbeat after which another runner takes over an export',
    default: 15,
    read: integer(1, 3600),
  },
  drainSeconds,
  agentJobRetentionDays: {
    flag: '--agent-job-retention-days <number>',
    env: 'QUIRE_AGENT_JOB_RETENTION_DAYS',
    what: 'archive completed and failed agent jobs older than this many days (default: never)',
    read: integer(1, 36500),
  },
  agentLogRetentionDays: {
    flag: '--agent-log-retention-days <number>',
    env: 'QUIRE_AGENT_LOG_RETENTION_DAYS',
    what: 'delete the events and the diff of an agent job this many days after its end; the job, its instructions and their ends stay',
    default: 90,
    read: integer(1, 36500),
  },
  auditRetentionDays: {
    flag: '--audit-retention-days <number>',
    env: 'QUIRE_AUDIT_RETENTION_DAYS',
    what: 'delete events of the audit log older than this many days (default: never)',
    read: integer(30, 36500),
  },
  exportRetentionDays: {
    flag: '--export-retention-days <number>',
    env: 'QUIRE_EXPORT_RETENTION_DAYS',
    what: 'delete completed and failed exports older than this many days, unless a link to them still works (default: never)',
    read: integer(1, 36500),
  },
  visitorRetentionDays: {
    flag: '--visitor-retention-days <number>',
    env: 'QUIRE_VISITOR_RETENTION_DAYS',
    what: 'delete the hashes of visitors after this many days; counts stay, see npx quire visits prune --help (default: never)',
    read: integer(1, 36500),
  },
  visitorKeyGraceDays: shared.visitorKeyGraceDays,
  exportsAtOnce: {
    flag: '--exports-at-once <number>',
    env: 'QUIRE_EXPORTS_AT_ONCE',
    what: 'exports that run at once; one organization gets half of them at most',
    default: chooseExportsAtOnce(availableParallelism(), findMemory()),
    shownDefault: 'by cores and memory, 2 to 8',
    read: integer(1, 64),
  },
  maxQueuedExports: {
    flag: '--max-queued-exports <number>',
    env: 'QUIRE_MAX_QUEUED_EXPORTS',
    what: 'maximum exports of one organization that wait in the queue',
    default: 100,
    read: integer(1, 100_000),
  },
  ...limitSettings,
  ...runSettings,
  exportCache: {
    flag: '--no-export-cache',
    env: 'QUIRE_NO_EXPORT_CACHE',
    what: 'use no cache: each export fetches everything again',
  },
  exportCacheMb: { ...cacheMb, flag: '--export-cache-mb <number>' },
  ...followSettings,
  ...agentSettings,
  dashboard: {
    flag: '--no-dashboard',
    env: 'QUIRE_NO_DASHBOARD',
    what: 'serve no dashboard, only the API and the documentation',
  },
  logLevel,
  logStyle,
  slowMs: {
    flag: '--slow-ms <number>',
    env: 'QUIRE_SLOW_MS',
    what: 'log requests, and statements of the database, that take at least so many milliseconds as warnings (default: none)',
    read: integer(1, 3_600_000),
  },
  metricsAddress,
  metricsTokenFile,
  validateResponses: {
    flag: '--validate-responses',
    env: 'QUIRE_VALIDATE_RESPONSES',
    what: 'also check responses against the OpenAPI document',
  },
} as const satisfies Settings

/** The parsed flags of `serve`. */
export type ServeFlags = FlagsOf<typeof serveSettings>

/**
 * Converts flags and environment to the configuration, and checks combinations of settings.
 *
 * @throws {OperatorError} with exit code 2, naming the flag and the remedy.
 */
export function readConfig(flags: ServeFlags): Config {
  if (!/^[a-z][a-z0-9]{0,15}_$/.test(flags.keyPrefix)) {
    throw new OperatorError(
      '--key-prefix must be lower-case letters and digits with an underscore at the end, such as quire_',
      2,
    )
  }
  return {
    dataFolder: flags.data,
    database: flags.database,
    bundles: flags.bundles,
    ...readNode(flags),
    webhookKeyFile: flags.webhookKeyFile,
    webhookAllowPrivate: flags.webhookAllowPrivate,
    ...readAddresses(flags),
    keyPrefix: flags.keyPrefix,
    ...readLinks(flags),
    bodyLimitBytes: flags.bodyLimitBytes,
    visitsLimitBytes: flags.visitsLimitBytes,
    visitsHourMb: flags.visitsHourMb,
    drains: readDrains(flags),
    leaseMs: flags.leaseSeconds * 1000,
    drainMs: flags.drainSeconds * 1000,
    agentJobRetentionDays: flags.agentJobRetentionDays,
    agentLogRetentionDays: flags.agentLogRetentionDays,
    auditRetentionDays: flags.auditRetentionDays,
    exportRetentionDays: flags.exportRetentionDays,
    visitorRetentionDays: flags.visitorRetentionDays,
    visitorKeyGraceDays: flags.visitorKeyGraceDays,
    exportsAtOnce: flags.exportsAtOnce,
    maxQueuedExports: flags.maxQueuedExports,
    exportLimits: readLimits(flags),
    exportProcessLimits: readProcessLimits(flags),
    exportVerify: flags.verify,
    exportAllowLoss: flags.allowLoss ?? false,
    allowNoSandbox: flags.allowNoSandbox ?? false,
    dashboard: flags.dashboard ?? true,
    exportCache: flags.exportCache ?? true,
    exportCacheBytes: flags.exportCacheMb * 1024 ** 2,
    follow: readFollowFlags(flags),
    ...readAgents(flags),
    metrics: readMetrics(flags),
    logLevel: flags.logLevel,
    slowMs: flags.slowMs ?? null,
    logStyle: flags.logStyle,
    validateResponses: flags.validateResponses ?? false,
  }
}

export type NodeFlags = Pick<
  ServeFlags,
  'role' | 'linkKeyFile' | 'visitorKeyFile' | 'webhookKeyFile' | 'node' | 'database' | 'bundles'
>

/**
 * Checks the flags of a server that is one of several.
 *
 * @throws {OperatorError} with exit code 2, naming the flag and the remedy.
 */
export function readNode(flags: NodeFlags): Pick<Config, 'role' | 'linkKeyFile' | 'visitorKeyFile' | 'node'> {
  const { role, linkKeyFile, visitorKeyFile, node, database, bundles } = flags
  checkNodeFlags(flags)
  if (linkKeyFile !== undefined && database === undefined) {
    throw new OperatorError('--link-key-file needs --database. With SQLite, the key is link.key in the data folder.', 2)
  }
  if (role === 'all') return { role, linkKeyFile, visitorKeyFile, node }
  const missing = [
    ...(database === undefined
      ? ['--database postgres://..., because servers on several machines cannot share SQLite']
      : []),
    ...(bundles
      ? []
      : ['--bundles s3://..., because other machines do not see the bundles in the data folder of this one']),
    ...(role === 'api' && linkKeyFile === undefined
      ? [
          '--link-key-file, because each server must accept the bundle links of the others (make a key: openssl rand -hex 32)',
        ]
      : []),
  ]
  if (missing.length > 0) throw new OperatorError(`--role ${role} needs ${missing.join('; ')}.`, 2)
  return { role, linkKeyFile, visitorKeyFile, node }
}

/** @throws {OperatorError} with exit code 2, if links cannot lead to where the bundles are. */
function readLinks({
  linkTtlSeconds,
  bundleLinks,
  bundles,
}: ServeFlags): Pick<Config, 'linkTtlSeconds' | 'bundleLinks'> {
  if (bundleLinks === 'presigned' && !bundles) {
    throw new OperatorError(
      '--bundle-links presigned needs --bundles s3://...: links cannot lead to bundles in the data folder. Leave the flag out, or store the bundles in S3.',
      2,
    )
  }
  return { linkTtlSeconds, bundleLinks }
}

/** Returns two exports per core, because they mostly wait for the site, but at most one per gigabyte; 2 to 8. */
function chooseExportsAtOnce(cores: number, memoryBytes: number): number {
  return Math.max(2, Math.min(2 * cores, Math.floor(memoryBytes / bytesPerExport), maxDefault))
}

/** Returns the memory of this machine, or of its container if that has less. */
function findMemory(): number {
  // 0 or a huge number = no limit.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
