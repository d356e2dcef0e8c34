import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { AddressRange } from '../base/address-range.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { LogStyle, MetricsSettings } from '../config.ts'
import type { BundleSource } from '../host/fetch/fetch-bundle.ts'
import { type FeatureHost, type HostSwitches, readSwitches } from '../host/policy.ts'
import type { UpdateSettings } from '../host/updater.ts'
import type { Features } from '../products/features.ts'
import { checkPostgresUrl } from '../store/postgres/postgres-url.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import { addOrigins, addressSettings } from './address-settings.ts'
import { readFeature } from './export-settings.ts'
import { readMetrics } from './metrics-settings.ts'
import { processSettings } from './serve-settings.ts'
import { type FlagsOf, integer, nonEmpty, type Settings } from './setting.ts'
import { shared } from './shared-settings.ts'
import { readTrustedKeyFiles, trustedKey } from './signing-settings.ts'

const megabyte = 1024 ** 2
const { entries, totalBytes, ratio } = defaultUnpackLimits

/** Where the requests of a host are counted, and for which project. */
export interface HostVisits {
  /** The data folder of Quire; with a database only for its visitor key. */
  dataFolder: string
  database?: string
  visitorKeyFile?: string
  node?: string
  project: string
}

/** What a host does. */
export interface HostConfig {
  dataFolder: string
  host: string
  port: number
  trustedProxies: readonly AddressRange[]
  corsOrigins: readonly string[]
  switches: HostSwitches
  update: UpdateSettings
  /** null = the source is asked once, at start. */
  watchMs: number | null
  cacheBytes: number
  /** '-' = standard output; null = none. */
  accessLog: string | null
  /** The project that the requests are counted for; null = none. */
  visits: HostVisits | null
  /** Whose opened pages a script writes to the access log; null = there is no script. */
  countViews: 'all' | 'unless-opted-out' | null
  /** Whether agents may search and read the site over the Model Context Protocol. */
  mcp: boolean
  drainMs: number
  metrics: MetricsSettings | null
  logLevel: string
  logStyle: LogStyle | undefined
}

const databaseFlag = '--visits-database'

function limit(flag: string, what: string, value: number, most: number, least = 1) {
  const env = `QUIRE_HOST_${flag.toUpperCase().replaceAll('-', '_')}`
  return { flag: `--${flag} <number>`, env, what, default: value, read: integer(least, most) } as const
}

/** The settings of the commands that only read the versions of a site. Their folder is not that of a server. */
export const hostFolderSettings = {
  data: {
    flag: '--data <folder>',
    env: 'QUIRE_HOST_DATA',
    what: 'folder for the versions of the site',
    default: 'host-data',
    read: nonEmpty('a folder, such as /var/lib/quire-host'),
  },
  json: shared.json,
} as const satisfies Settings

/** Every setting of a host. */
export const hostSettings = {
  bundle: {
    flag: '--bundle <file-or-url>',
    env: 'QUIRE_HOST_BUNDLE',
    what: 'the bundle, if it is not given as the argument',
    read: (text: string) => text.trim(),
  },
  data: hostFolderSettings.data,
  version: {
    flag: '--version <label>',
    env: 'QUIRE_HOST_VERSION',
    what: 'serve only a bundle with this version, as it was given to the export',
    read: (text: string) => text.trim(),
  },
  sha256: {
    flag: '--sha256 <hex>',
    env: 'QUIRE_HOST_SHA256',
    what: 'refuse a bundle with another SHA-256',
    read: readSha256,
  },
  trustedKey,
  allowDowngrade: {
    flag: '--allow-downgrade',
    env: 'QUIRE_HOST_ALLOW_DOWNGRADE',
    what: 'with --trusted-key, also serve a bundle that was signed before the one that is served',
  },
  watch: {
    flag: '--watch <seconds>',
    env: 'QUIRE_HOST_WATCH',
    what: 'ask for a new bundle every so many seconds (default: only at start)',
    read: integer(1, 86_400),
  },
  keepVersions: limit('keep-versions', 'versions to keep, for rollback', 3, 1000),
  deployment: {
    flag: '--deployment <kind>',
    env: 'QUIRE_HOST_DEPLOYMENT',
    what: 'where the site runs; decides which features it may have',
    choices: ['cloud', 'client-hosted', 'air-gapped'],
    default: 'air-gapped',
  },
  features: {
    flag: '--features <list>',
    env: 'QUIRE_HOST_FEATURES',
    what: 'features to turn on or off, such as search,analytics=off; separated by commas',
    read: addFeatures,
  },
  featureHost: {
    flag: '--feature-host <feature=origin>',
    env: 'QUIRE_HOST_FEATURE_HOSTS',
    what: 'origin that pages may use for a feature, such as the API of a playground; repeat it or separate them by commas',
    read: addFeatureHosts,
  },
  maxBundleMb: limit('max-bundle-mb', 'maximum MB of a bundle', 16_384, 1_000_000),
  maxUnpackedMb: limit('max-unpacked-mb', 'maximum MB of the files of a bundle', totalBytes / megabyte, 10_000_000),
  maxEntries: limit('max-entries', 'maximum files and folders of a bundle', entries, 10_000_000),
  maxRatio: limit('max-ratio', 'maximum unpacked bytes for each byte of a bundle', ratio, 100_000),
  fetchRetries: limit('fetch-retries', 'maximum retries of the download when the server fails', 5, 1000, 0),
  fetchTimeoutSeconds: limit(
    'fetch-timeout-seconds',
    'time without a byte after which an attempt of the download fails',
    30,
    3600,
  ),
  compressThreads: {
    ...limit(
      'compress-threads',
      'files that are compressed at once; 0 = do not compress',
      Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))),
      64,
      0,
    ),
    shownDefault: 'half of the cores, 1 to 4',
  },
  cacheMb: limit('cache-mb', 'maximum MB of files kept in memory', 64, 100_000, 0),
  host: addressSettings.host,
  // The port of the server is another one, so that both run on one machine.
  port: { ...addressSettings.port, default: 8080 },
  trustedProxies: addressSettings.trustedProxies,
  corsOrigin: addressSettings.corsOrigin,
  accessLog: {
    flag: '--access-log <file>',
    env: 'QUIRE_HOST_ACCESS_LOG',
    what: 'write requests to this file in the combined format; - = standard output',
  },
  visitsData: {
    flag: '--visits-data <folder>',
    env: 'QUIRE_HOST_VISITS_DATA',
    what: 'data folder of Quire in which the requests count as visits; needs --project',
  },
  visitsDatabase: {
    flag: `${databaseFlag} <url>`,
    env: 'QUIRE_HOST_VISITS_DATABASE',
    what: 'PostgreSQL database of Quire in which the requests count as visits; needs --project, and --visitor-key-file or --visits-data',
    // A chart sets each variable, so an empty one is none.
    read: (text: string) => (text === '' ? text : checkPostgresUrl(text, databaseFlag)),
  },
  countViews: {
    flag: '--count-views <readers>',
    env: 'QUIRE_HOST_COUNT_VIEWS',
    what: 'add a script to each page that tells the access log which pages a reader opens, also when a router opens them; all = of all readers, unless-opted-out = not of those whose browser says Sec-GPC or DNT',
    choices: ['all', 'unless-opted-out'],
  },
  mcp: {
    flag: '--mcp',
    env: 'QUIRE_HOST_MCP',
    what: 'let agents search and read the site over the Model Context Protocol, at /mcp',
  },
  visitorKeyFile: shared.visitorKeyFile,
  node: shared.node,
  project: shared.project,
  ...processSettings,
} as const satisfies Settings

export type HostFlags = FlagsOf<typeof hostSettings>

/**
 * Converts flags and environment to the configuration, and checks combinations of settings.
 *
 * @throws {OperatorError} with exit code 2, naming the flag and the remedy.
 */
export function readHostConfig(argument: string | undefined, flags: HostFlags): HostConfig {
  const { watch, accessLog = '', deployment, features = {}, featureHost = [] } = flags
  const dataFolder = resolve(flags.data)
  const visits = readHostVisits(flags)
  const log = accessLog === '' ? (visits ? `${dataFolder}/access.log` : null) : accessLog
  if (visits && log === '-')
    throw new OperatorError('Visits are counted from the access log, so --access-log must name a file.', 2)
  const { countViews = null } = flags
  if (countViews && log === null)
    throw new OperatorError('--count-views writes to the access log. Name its file with --access-log.', 2)
  return {
    dataFolder,
    host: flags.host,
    port: flags.port,
    trustedProxies: flags.trustedProxies ?? [],
    corsOrigins: flags.corsOrigin ?? [],
    switches: readSwitches(deployment, features, featureHost),
    update: {
      source: readSource(argument ?? flags.bundle),
      label: flags.version || null,
      sha256: flags.sha256 || null,
      trusted: readTrustedKeyFiles(flags.trustedKey),
      allowDowngrade: flags.allowDowngrade ?? false,
      maxBundleBytes: flags.maxBundleMb * megabyte,
      unpackLimits: {
        entries: flags.maxEntries,
        totalBytes: flags.maxUnpackedMb * megabyte,
        ratio: flags.maxRatio,
      },
      retries: flags.fetchRetries,
      idleTimeoutMs: flags.fetchTimeoutSeconds * 1000,
      threads: flags.compressThreads,
      keepVersions: flags.keepVersions,
    },
    watchMs: watch === undefined ? null : watch * 1000,
    cacheBytes: flags.cacheMb * megabyte,
    accessLog: log === null || log === '-' ? log : resolve(log),
    visits,
    countViews,
    mcp: flags.mcp ?? false,
    drainMs: flags.drainSeconds * 1000,
    metrics: readMetrics(flags),
    logLevel: flags.logLevel,
    logStyle: flags.logStyle,
  }
}

function readSource(text: string | undefined): BundleSource | null {
  if (!text) return null
  if (!text.includes('://')) return { kind: 'file', path: resolve(text) }
  const url = URL.parse(text)
  // The address may be a secret, so it is not shown.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new OperatorError('The bundle must be a file, or an http(s) URL without user and password.', 2)
  return { kind: 'url', url }
}

function readSha256(text: string): string {
  const value = text.trim().toLowerCase()
  if (value !== '' && !/^[0-9a-f]{64}$/.test(value)) throw new InvalidArgumentError('It must be 64 hex digits.')
  return value
}

function addFeatures(text: string, before: Partial<Features> = {}): Partial<Features> {
  const names = text.split(/[\s,]+/).filter(Boolean)
  return { ...before, ...Object.fromEntries(names.map(readListed)) }
}

function readListed(text: string) {
  try {
    return readFeature(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message.replace('--feature ', ''))
  }
}

function addFeatureHosts(text: string, before: FeatureHost[] = []): FeatureHost[] {
  const added = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(part => {
      const at = part.indexOf('=')
      if (at === -1) throw new InvalidArgumentError('Write FEATURE=ORIGIN, such as playground=https://api.example.com.')
      const [feature] = readListed(part.slice(0, at))
      const [origin = ''] = addOrigins(part.slice(at + 1))
      return { feature, origin }
    })
  return [...before, ...added]
}

/** @throws {OperatorError} with exit code 2, if a flag is missing. */
function readHostVisits(flags: HostFlags): HostVisits | null {
  const { visitsData, visitsDatabase: database, visitorKeyFile, node, project } = flags
  const flag = database ? databaseFlag : '--visits-data'
  // The other flags may be variables for other commands of the machine.
  if (!visitsData && !database) return null
  const refuse = (reason: string) => new OperatorError(reason, 2)
  if (!project) throw refuse(`${flag} needs --project, which names the project of the visits.`)
  if (!database) {
    if (visitorKeyFile !== undefined) throw refuse(`--visitor-key-file needs ${databaseFlag}.`)
    if (node !== undefined) throw refuse(`--node needs ${databaseFlag}.`)
    return { dataFolder: resolve(visitsData ?? ''), project }
  }
  if (!visitsData && visitorKeyFile === undefined) {
    throw refuse(`${databaseFlag} needs --visitor-key-file, or visitor.key in the folder of --visits-data.`)
  }
  const given = { ...(visitorKeyFile !== undefined && { visitorKeyFile }), ...(node !== undefined && { node }) }
  return { dataFolder: resolve(visitsData ?? '.'), database, ...given, project }
}
