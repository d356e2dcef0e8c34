import { Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import type { Config, LogStyle } from '../config.ts'
import type { Verify } from '../export/model/options.ts'
import { type AddressFlags, addressOptions, readAddresses } from './address-options.ts'
import { type FollowFlags, followOptions, readFollowFlags } from './follow-options.ts'
import { integer } from './integer.ts'
import { type LimitFlags, limitOptions, readLimits } from './limit-options.ts'
import { type LinkFlags, linkOptions, readLinks } from './link-options.ts'
import { type NodeFlags, nodeOptions, readNode } from './node-options.ts'
import {
  allowLossOption,
  bundlesOption,
  cacheMbOption,
  databaseOption,
  dataOption,
  keyGraceOption,
  verifyOption,
} from './options.ts'
import { type QueueFlags, queueOptions } from './queue-options.ts'

/** The parsed flags of `serve`. */
export interface ServeFlags extends NodeFlags, LinkFlags, AddressFlags, LimitFlags, QueueFlags, FollowFlags {
  data: string
  keyPrefix: string
  bodyLimitBytes: number
  leaseSeconds: number
  drainSeconds: number
  agentJobRetentionDays?: number
  exportRetentionDays?: number
  visitorRetentionDays?: number
  visitorKeyGraceDays: number
  verify: Verify
  allowLoss?: boolean
  exportCache?: boolean
  dashboard?: boolean
  exportCacheMb: number
  logLevel: string
  logStyle?: LogStyle
  validateResponses?: boolean
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Every setting of the server: a flag, its environment variable and its default. */
export function serveOptions(): Option[] {
  return [
    dataOption(),
    databaseOption(),
    bundlesOption(),
    ...nodeOptions(),
    ...addressOptions(),
    new Option('--key-prefix <text>', 'prefix of API keys').env('QUIRE_KEY_PREFIX').default('quire_'),
    ...linkOptions(),
    new Option('--body-limit-bytes <number>', 'maximum size of a request body')
      .env('QUIRE_BODY_LIMIT_BYTES')
      .default(1024 * 1024)
      .argParser(integer(1024, 64 * 1024 * 1024)),
    new Option('--lease-seconds <number>', 'time without a heartbeat after which another runner takes over an export')
      .env('QUIRE_LEASE_SECONDS')
      .default(15)
      .argParser(integer(1, 3600)),
    drainOption(),
    new Option(
      '--agent-job-retention-days <number>',
      'archive completed and failed agent jobs older than this many days (default: never)',
    )
      .env('QUIRE_AGENT_JOB_RETENTION_DAYS')
      .argParser(integer(1, 36500)),
    new Option(
      '--export-retention-days <number>',
      'delete completed and failed exports older than this many days, unless a link to them still works (default: never)',
    )
      .env('QUIRE_EXPORT_RETENTION_DAYS')
      .argParser(integer(1, 36500)),
    new Option(
      '--visitor-retention-days <number>',
      'delete the hashes of visitors after this many days; counts stay, see npx quire visits prune --help (default: never)',
    )
      .env('QUIRE_VISITOR_RETENTION_DAYS')
      .argParser(integer(1, 36500)),
    keyGraceOption(),
    ...queueOptions(),
    ...limitOptions(),
    verifyOption(),
    allowLossOption(),
    new Option('--no-export-cache', 'use no cache: each export fetches everything again').env('QUIRE_NO_EXPORT_CACHE'),
    cacheMbOption('export-cache-mb'),
    ...followOptions(),
    new Option('--no-dashboard', 'serve no dashboard, only the API and the documentation').env('QUIRE_NO_DASHBOARD'),
    ...ownLogOptions(),
    new Option('--validate-responses', 'also check responses against the OpenAPI document').env(
      'QUIRE_VALIDATE_RESPONSES',
    ),
  ]
}

/** The flags for the log that a server writes. */
export function ownLogOptions(): Option[] {
  return [
    new Option('--log-level <level>', 'lowest level to log').env('QUIRE_LOG_LEVEL').default('info').choices(logLevels),
    // QUIRE_LOG_FORMAT is the format of the access logs that are read.
    new Option('--log-style <style>', 'pretty = lines for people, json = JSON lines (default: pretty on a terminal)')
      .env('QUIRE_LOG_STYLE')
      .choices(['pretty', 'json']),
  ]
}

/** `--drain-seconds`, for every command that serves. */
export function drainOption(): Option {
  return new Option(
    '--drain-seconds <number>',
    'how long the server still listens after SIGTERM, while /readyz answers 503; for load balancers',
  )
    .env('QUIRE_DRAIN_SECONDS')
    .default(1)
    .argParser(integer(0, 600))
}

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
    ...readAddresses(flags),
    keyPrefix: flags.keyPrefix,
    ...readLinks(flags),
    bodyLimitBytes: flags.bodyLimitBytes,
    leaseMs: flags.leaseSeconds * 1000,
    drainMs: flags.drainSeconds * 1000,
    agentJobRetentionDays: flags.agentJobRetentionDays,
    exportRetentionDays: flags.exportRetentionDays,
    visitorRetentionDays: flags.visitorRetentionDays,
    visitorKeyGraceDays: flags.visitorKeyGraceDays,
    exportsAtOnce: flags.exportsAtOnce,
    maxQueuedExports: flags.maxQueuedExports,
    exportLimits: readLimits(flags),
    exportVerify: flags.verify,
    exportAllowLoss: flags.allowLoss ?? false,
    dashboard: flags.dashboard ?? true,
    exportCache: flags.exportCache ?? true,
    exportCacheBytes: flags.exportCacheMb * 1024 ** 2,
    follow: readFollowFlags(flags),
    logLevel: flags.logLevel,
    logStyle: flags.logStyle,
    validateResponses: flags.validateResponses ?? false,
  }
}
