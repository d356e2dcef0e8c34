import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import type { AddressRange } from '../base/address-range.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { LogStyle } from '../config.ts'
import type { BundleSource } from '../host/fetch/fetch-bundle.ts'
import { type FeatureHost, type HostSwitches, readSwitches } from '../host/policy.ts'
import type { UpdateSettings } from '../host/updater.ts'
import type { Deployment, Features } from '../products/features.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import { addOrigins, addressOptions } from './address-options.ts'
import { readFeature } from './export-flags.ts'
import { type HostVisits, type HostVisitsFlags, hostVisitsOptions, readHostVisits } from './host-visits-options.ts'
import { integer } from './integer.ts'
import { nonEmpty } from './non-empty.ts'
import { drainOption, ownLogOptions } from './serve-options.ts'

const megabyte = 1024 ** 2

/** The parsed flags of `host`. */
export interface HostFlags extends HostVisitsFlags {
  bundle?: string
  data: string
  host: string
  port: number
  trustedProxies?: AddressRange[]
  corsOrigin?: string[]
  deployment: Deployment
  features?: Partial<Features>
  featureHost?: FeatureHost[]
  sha256?: string
  version?: string
  watch?: number
  keepVersions: number
  maxBundleMb: number
  maxUnpackedMb: number
  maxEntries: number
  maxRatio: number
  fetchRetries: number
  fetchTimeoutSeconds: number
  compressThreads: number
  cacheMb: number
  accessLog?: string
  drainSeconds: number
  logLevel: string
  logStyle?: LogStyle
}

/** The settings of a host. */
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
  drainMs: number
  logLevel: string
  logStyle: LogStyle | undefined
}

/** `--data` of a host. It is another folder than that of a server. */
export function hostDataOption(): Option {
  return new Option('--data <folder>', 'folder for the versions of the site')
    .env('QUIRE_HOST_DATA')
    .default('host-data')
    .argParser(nonEmpty('a folder, such as /var/lib/quire-host'))
}

/** Every setting of a host: a flag, its environment variable and its default. */
export function hostOptions(): Option[] {
  return [...bundleOptions(), ...switchOptions(), ...limitOptions(), ...serverOptions()]
}

function bundleOptions(): Option[] {
  return [
    new Option('--bundle <file-or-url>', 'the bundle, if it is not given as the argument')
      .env('QUIRE_HOST_BUNDLE')
      .argParser(text => text.trim()),
    hostDataOption(),
    new Option('--version <label>', 'serve only a bundle with this version, as it was given to the export')
      .env('QUIRE_HOST_VERSION')
      .argParser(text => text.trim()),
    new Option('--sha256 <hex>', 'refuse a bundle with another SHA-256').env('QUIRE_HOST_SHA256').argParser(readSha256),
    new Option('--watch <seconds>', 'ask for a new bundle every so many seconds (default: only at start)')
      .env('QUIRE_HOST_WATCH')
      .argParser(integer(1, 86_400)),
    new Option('--keep-versions <number>', 'versions to keep, for rollback')
      .env('QUIRE_HOST_KEEP_VERSIONS')
      .default(3)
      .argParser(integer(1, 1000)),
  ]
}

function switchOptions(): Option[] {
  return [
    new Option('--deployment <kind>', 'where the site runs; decides which features it may have')
      .env('QUIRE_HOST_DEPLOYMENT')
      .choices(['cloud', 'client-hosted', 'air-gapped'])
      .default('air-gapped'),
    new Option('--features <list>', 'features to turn on or off, such as search,analytics=off; separated by commas')
      .env('QUIRE_HOST_FEATURES')
      .argParser(addFeatures),
    new Option(
      '--feature-host <feature=origin>',
      'origin that pages may use for a feature, such as the API of a playground; repeat it or separate them by commas',
    )
      .env('QUIRE_HOST_FEATURE_HOSTS')
      .argParser(addFeatureHosts),
  ]
}

function limitOptions(): Option[] {
  const limit = (flag: string, what: string, value: number, most: number, least = 1) =>
    new Option(`--${flag} <number>`, what)
      .env(`QUIRE_HOST_${flag.toUpperCase().replaceAll('-', '_')}`)
      .default(value)
      .argParser(integer(least, most))
  const { entries, totalBytes, ratio } = defaultUnpackLimits
  return [
    limit('max-bundle-mb', 'maximum MB of a bundle', 16_384, 1_000_000),
    limit('max-unpacked-mb', 'maximum MB of the files of a bundle', totalBytes / megabyte, 10_000_000),
    limit('max-entries', 'maximum files and folders of a bundle', entries, 10_000_000),
    limit('max-ratio', 'maximum unpacked bytes for each byte of a bundle', ratio, 100_000),
    limit('fetch-retries', 'maximum retries of the download when the server fails', 5, 1000, 0),
    limit('fetch-timeout-seconds', 'time without a byte after which an attempt of the download fails', 30, 3600),
    limit(
      'compress-threads',
      'files that are compressed at once; 0 = do not compress',
      Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))),
      64,
      0,
    ),
    limit('cache-mb', 'maximum MB of files kept in memory', 64, 100_000, 0),
  ]
}

function serverOptions(): Option[] {
  // The port of the server is another one, so that both run on one machine.
  const [host, port, , trustedProxies, corsOrigin] = addressOptions()
  const all = [host, port?.default(8080), trustedProxies, corsOrigin].filter(option => option !== undefined)
  return [
    ...all,
    new Option('--access-log <file>', 'write requests to this file in the combined format; - = standard output').env(
      'QUIRE_HOST_ACCESS_LOG',
    ),
    ...hostVisitsOptions(),
    drainOption(),
    ...ownLogOptions(),
  ]
}

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
    drainMs: flags.drainSeconds * 1000,
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
