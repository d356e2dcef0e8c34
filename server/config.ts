import type { AgentOffer } from './agent/run/plan-run.ts'
import type { AgentRunnerSettings } from './agent/runner-settings.ts'
import type { FollowSettings } from './analytics/follow/follow-settings.ts'
import type { AddressRange } from './base/address-range.ts'
import type { ExportLimits, ProcessLimits } from './export/model/limits.ts'
import type { Verify } from './export/model/options.ts'
import type { DrainSettings } from './http/drain-checks.ts'
import type { S3Location } from './store/s3/s3-location.ts'
import type { AllowedPrivate } from './webhooks/allowed-private.ts'

/** How log lines are written: for people, or as JSON. */
export type LogStyle = 'pretty' | 'json'

/** What a server does. All = it answers requests, runs exports and deletes by age. */
export const roles = ['all', 'api', 'runner'] as const
export type Role = (typeof roles)[number]

/** `quire` = links lead to this server, `presigned` = to the storage of the bundles. */
export type BundleLinksKind = 'quire' | 'presigned'

/** Where a process serves its metrics. */
export interface MetricsSettings {
  host: string
  port: number
  /** What a request must send as a Bearer token; undefined = nothing. */
  token: string | undefined
}

export interface Config {
  role: Role
  dataFolder: string
  /** The address of a PostgreSQL database, with its password; undefined = SQLite in the data folder. */
  database: string | undefined
  /** Where bundles are stored; undefined = in the data folder. */
  bundles: S3Location | undefined
  /** The key of bundle links that several servers share; undefined = that of the data folder. */
  linkKeyFile: string | undefined
  /** The key of the visitors that several servers share; undefined = that of the data folder. */
  visitorKeyFile: string | undefined
  /** The key of the secrets of webhooks that several servers share; undefined = that of the data folder. */
  webhookKeyFile: string | undefined
  /** Private receivers of webhooks. */
  webhookAllowPrivate: AllowedPrivate
  /** The name for positions in followed logs; undefined = the host name. */
  node: string | undefined
  host: string
  /** 0 = any free port. */
  port: number
  /** Where clients reach this server, without a trailing slash; undefined = http://host:port. */
  publicUrl: string | undefined
  /** Proxies whose headers say where clients reach this server, and from which address. */
  trustedProxies: readonly AddressRange[]
  /** Whether the server has a dashboard. */
  dashboard: boolean
  /** Origins whose scripts may call the API. */
  corsOrigins: readonly string[]
  keyPrefix: string
  linkTtlSeconds: number
  /** Where bundle links lead. */
  bundleLinks: BundleLinksKind
  bodyLimitBytes: number
  /** The largest body of log lines that are sent. */
  visitsLimitBytes: number
  /** The megabytes of log lines that one organization may send in an hour. */
  visitsHourMb: number
  /** The services that send log lines. */
  drains: DrainSettings
  leaseMs: number
  /** How long the server still listens after it was told to stop. */
  drainMs: number
  /** Completed and failed agent jobs older than this are archived; undefined = never. */
  agentJobRetentionDays: number | undefined
  /** Events and changes of agent jobs that ended longer ago are deleted. */
  agentLogRetentionDays: number
  /** Age at which events of the audit log are deleted; undefined = never. */
  auditRetentionDays: number | undefined
  /** Completed and failed exports older than this are deleted; undefined = never. */
  exportRetentionDays: number | undefined
  /** Hashes of visitors older than this are deleted; undefined = never. */
  visitorRetentionDays: number | undefined
  /** How long the visitor key of a month or day outlives it, see `DestroyOptions`. */
  visitorKeyGraceDays: number
  /** What the server offers to those who start agent jobs; undefined = no agents. */
  agentOffer: AgentOffer | undefined
  /** How a server that is a runner works on agent jobs; undefined = it does not. */
  agentRunner: AgentRunnerSettings | undefined
  /** How many exports run at once. */
  exportsAtOnce: number
  /** How many exports of one organization may wait in the queue. */
  maxQueuedExports: number
  exportLimits: ExportLimits
  exportProcessLimits: ProcessLimits
  /** How many pages of a bundle a browser opens to verify it. */
  exportVerify: Verify
  /** Whether an export is completed although something is missing that a reader expects. */
  exportAllowLoss: boolean
  /** Whether Chromium may run without its sandbox where it cannot have one. */
  allowNoSandbox: boolean
  /** Whether exports use a cache of the site. */
  exportCache: boolean
  /** The maximum size of the cache of one site. */
  exportCacheBytes: number
  /** The logs to follow. */
  follow: FollowSettings
  /** null = none are served, and nothing is measured. */
  metrics: MetricsSettings | null
  logLevel: string
  /** From which duration on a request and a statement are logged as slow; null = never. */
  slowMs: number | null
  /** Undefined = pretty on a terminal, else JSON. */
  logStyle: LogStyle | undefined
  /** Whether responses are checked against the document, too; for tests and development. */
  validateResponses: boolean
}
