import { Option } from 'commander'
import { defaultPacing } from '../analytics/follow/follow-pacing.ts'
import { checkPostgresUrl } from '../store/postgres/postgres-url.ts'
import { parseS3Location } from '../store/s3/s3-location.ts'
import { integer } from './integer.ts'
import { nonEmpty } from './non-empty.ts'

/** `--data`, for every command that works on the data folder. */
export function dataOption(): Option {
  return new Option('--data <folder>', 'data folder: database, secrets and bundles')
    .env('QUIRE_DATA')
    .default('data')
    .argParser(nonEmpty('a folder, such as /var/lib/quire'))
}

/** `--database`, for every command that opens the store. */
export function databaseOption(): Option {
  return new Option(
    '--database <url>',
    'use a PostgreSQL database, which several machines may share: postgres://USER@HOST/DATABASE; ' +
      'QUIRE_DATABASE or PGPASSWORD hides the password from other users (default: SQLite in the data folder)',
  )
    .env('QUIRE_DATABASE')
    .argParser(text => checkPostgresUrl(text))
}

/** `--bundles`, for every command that reads or deletes bundles. */
export function bundlesOption(): Option {
  return new Option(
    '--bundles <url>',
    'store bundles in S3-compatible storage: s3://BUCKET/PREFIX, with ?endpoint=URL&region=NAME&path-style=true|false if needed; ' +
      'credentials come from AWS_ACCESS_KEY_ID and so on (default: the folder bundles in the data folder)',
  )
    .env('QUIRE_BUNDLES')
    .argParser(parseS3Location)
}

/** `--json`, for every command whose output a program may read. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON')
}

/** `--project`, for every command about its visits. */
export function projectOption(): Option {
  return new Option('--project <id-or-name>', 'project that the visits belong to').env('QUIRE_PROJECT')
}

/** `--visitor-key-grace-days`, for every command that destroys the visitor keys of ended periods. */
export function keyGraceOption(): Option {
  return new Option(
    '--visitor-key-grace-days <number>',
    'days after a month or day (projects create --salt-rotation) in which its visitor key still counts late log lines; then the key is destroyed',
  )
    .env('QUIRE_VISITOR_KEY_GRACE_DAYS')
    .default(7)
    .argParser(integer(0, 3660))
}

/** `--verify`, for every command that exports. */
export function verifyOption(): Option {
  return new Option(
    '--verify <how>',
    'pages to open in a browser to verify the bundle: none (static), a sample, or all pages with scripts (full)',
  )
    .env('QUIRE_VERIFY')
    .choices(['static', 'sample', 'full'])
    .default('sample')
}

/** `--allow-loss`, for every command that exports. */
export function allowLossOption(): Option {
  return new Option(
    '--allow-loss',
    'make a bundle even if a page of the navigation is lost, or a checked page loses a tenth of its words',
  ).env('QUIRE_ALLOW_LOSS')
}

/** `--cache-mb` or `--export-cache-mb`: the maximum size of the cache of one site. */
export function cacheMbOption(flag = 'cache-mb'): Option {
  return new Option(`--${flag} <number>`, 'maximum cache size of one site, in MB')
    .env('QUIRE_EXPORT_CACHE_MB')
    .default(4096)
    .argParser(integer(1, 10_000_000))
}

/** `--grace-seconds` or `--follow-grace-seconds`: when a rotated log counts as complete. */
export function graceOption(flag = 'grace-seconds'): Option {
  return new Option(`--${flag} <number>`, 'how long a rotated log must stay unchanged before the next file is read')
    .env('QUIRE_FOLLOW_GRACE_SECONDS')
    .default(defaultPacing.graceMs / 1000)
    .argParser(integer(0, 3600))
}
