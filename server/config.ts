import type { FollowSettings } from './analytics/follow/follow-settings.ts'
import type { ExportLimits } from './export/model/limits.ts'
import type { Verify } from './export/model/options.ts'

export interface Config {
  dataFolder: string
  host: string
  /** 0 = any free port. */
  port: number
  /** Where clients reach this server, without a trailing slash; undefined = http://host:port. */
  publicUrl: string | undefined
  keyPrefix: string
  linkTtlSeconds: number
  bodyLimitBytes: number
  leaseMs: number
  /** Archives completed and failed agent jobs of this age; undefined = never. */
  agentJobRetentionDays: number | undefined
  /** Deletes completed and failed exports of this age; undefined = never. */
  exportRetentionDays: number | undefined
  /** Forgets who saw what after so many days; undefined = never. */
  visitorRetentionDays: number | undefined
  exportLimits: ExportLimits
  /** How much of a bundle a browser opens before it is handed out. */
  exportVerify: Verify
  /** Whether exports remember what they saw of a site. */
  exportCache: boolean
  /** How much is remembered of one site. */
  exportCacheBytes: number
  /** The logs whose visits are counted while they are written. */
  follow: FollowSettings
  logLevel: string
  /** Checks every answer against the document, too: for tests and for trying a change. */
  validateResponses: boolean
}
