import { InvalidArgumentError } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { checkPostgresUrl } from '../store/postgres/postgres-url.ts'
import { parseS3Location } from '../store/s3/s3-location.ts'
import { defaultKeyDays } from '../tenancy/api-key.ts'
import { type AllowedPrivate, parseAllowedPrivate } from '../webhooks/allowed-private.ts'
import { type FlagsOf, integer, nonEmpty, type Settings } from './setting.ts'

const maxNodeLength = 255
const maxLifetimeDays = 36500

/** Settings that several commands share. */
export const shared = {
  data: {
    flag: '--data <folder>',
    env: 'QUIRE_DATA',
    what: 'data folder: database, secrets and bundles',
    default: 'data',
    read: nonEmpty('a folder, such as /var/lib/quire'),
  },
  database: {
    flag: '--database <url>',
    env: 'QUIRE_DATABASE',
    what:
      'use a PostgreSQL database, which several machines may share: postgres://USER@HOST/DATABASE; ' +
      'QUIRE_DATABASE or PGPASSWORD hides the password from other users (default: SQLite in the data folder)',
    read: (text: string) => checkPostgresUrl(text),
  },
  bundles: {
    flag: '--bundles <url>',
    env: 'QUIRE_BUNDLES',
    what:
      'store bundles in S3-compatible storage: s3://BUCKET/PREFIX, with ?endpoint=URL&region=NAME&path-style=true|false if needed; ' +
      'credentials come from AWS_ACCESS_KEY_ID and so on (default: the folder bundles in the data folder)',
    read: text => parseS3Location(text),
  },
  linkKeyFile: {
    flag: '--link-key-file <file>',
    env: 'QUIRE_LINK_KEY_FILE',
    what:
      'file with the key of bundle links that all servers of a --database share: 64 hexadecimal digits in the first line, ' +
      'and earlier keys in further lines (default: link.key in the data folder)',
    read: nonEmpty('a file, such as /etc/quire/link.key'),
  },
  visitorKeyFile: {
    flag: '--visitor-key-file <file>',
    env: 'QUIRE_VISITOR_KEY_FILE',
    what:
      'file with the key of the visitors that all machines with a --database share: 64 hexadecimal digits ' +
      '(default: visitor.key in the data folder)',
    read: nonEmpty('a file, such as /etc/quire/visitor.key'),
  },
  webhookKeyFile: {
    flag: '--webhook-key-file <file>',
    env: 'QUIRE_WEBHOOK_KEY_FILE',
    what:
      'file with the key that encrypts the secrets of webhooks, which all machines with a --database share: 64 hexadecimal digits ' +
      'in the first line, and earlier keys in further lines (default: webhook.key in the data folder)',
    read: nonEmpty('a file, such as /etc/quire/webhook.key'),
  },
  webhookAllowPrivate: {
    flag: '--webhook-allow-private <list>',
    env: 'QUIRE_WEBHOOK_ALLOW_PRIVATE',
    what:
      'private receivers of webhooks, also by http: host names, addresses and ranges, separated by commas, such as ' +
      'hooks.internal,10.0.0.0/8; the server and npx quire webhooks create need the same',
    default: { names: [], ranges: [] },
    shownDefault: 'none',
    read: readAllowedPrivate,
  },
  node: {
    flag: '--node <name>',
    env: 'QUIRE_NODE',
    what:
      'name under which a --database stores the positions in followed logs; give it to containers, whose host names change ' +
      '(default: the host name)',
    read: readNodeName,
  },
  keyPrefix: {
    flag: '--key-prefix <text>',
    env: 'QUIRE_KEY_PREFIX',
    what: 'prefix of API keys; the server must have the same',
    default: 'quire_',
  },
  expiresInDays: {
    flag: '--expires-in-days <number>',
    env: 'QUIRE_EXPIRES_IN_DAYS',
    what: 'lifetime of a new key, or never',
    default: defaultKeyDays,
    read: readLifetime,
  },
  project: { flag: '--project <id-or-name>', env: 'QUIRE_PROJECT', what: 'project that the visits belong to' },
  visitorKeyGraceDays: {
    flag: '--visitor-key-grace-days <number>',
    env: 'QUIRE_VISITOR_KEY_GRACE_DAYS',
    what: 'days after a month or day (projects create --salt-rotation) in which its visitor key still counts late log lines; then the key is destroyed',
    default: 7,
    read: integer(0, 3660),
  },
  /** For commands whose output a program may read. */
  json: { flag: '--json', what: 'print JSON' },
} as const satisfies Settings

const { data, database, bundles, visitorKeyFile, webhookKeyFile, node, json } = shared

/** The settings of a command that opens the store. */
export const storeSettings = { data, database, json }

/** The settings of a command that reads or deletes bundles. */
export const bundlesSettings = { data, database, bundles, json }

/** The settings of a command that counts visitors. */
export const visitorsSettings = { data, database, visitorKeyFile, json }

/** The settings of a command that follows logs, or copies the positions in them. */
export const nodeSettings = { data, database, visitorKeyFile, node, json }

/** The settings of a command that changes webhooks. */
export const webhookSettings = { data, database, webhookKeyFile, json }

/** The parsed flags of `storeSettings`, and those that only some of these commands have. */
export type StoreFlags = FlagsOf<typeof storeSettings> &
  Pick<FlagsOf<typeof shared>, 'visitorKeyFile' | 'webhookKeyFile' | 'node'>

/** The parsed flags of `bundlesSettings`. */
export type BundlesFlags = StoreFlags & Pick<FlagsOf<typeof shared>, 'bundles'>

// Commander makes '' of null.
function readLifetime(text: string): number | 'never' {
  if (text === 'never') return text
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= maxLifetimeDays) return Number(text)
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxLifetimeDays}, or never.`)
}

function readNodeName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= maxNodeLength) return name
  throw new InvalidArgumentError(`It must be a name of 1 to ${maxNodeLength} characters, such as proxy-1.`)
}

function readAllowedPrivate(text: string): AllowedPrivate {
  const allowed = parseAllowedPrivate(text)
  if (allowed) return allowed
  throw new InvalidArgumentError('It must have host names, addresses and ranges, such as hooks.internal,10.0.0.0/8.')
}

/** @throws {OperatorError} with exit code 2, if a flag for several machines is given without their database. */
export function checkNodeFlags({ database, visitorKeyFile, webhookKeyFile, node }: Omit<StoreFlags, 'data'>): void {
  if (database !== undefined) return
  const refuse = (reason: string) => {
    throw new OperatorError(reason, 2)
  }
  if (visitorKeyFile !== undefined) {
    refuse('--visitor-key-file needs --database. With SQLite, the key is visitor.key in the data folder.')
  }
  if (webhookKeyFile !== undefined) {
    refuse('--webhook-key-file needs --database. With SQLite, the key is webhook.key in the data folder.')
  }
  if (node !== undefined) {
    refuse('--node needs --database. With SQLite, the positions in followed logs are in the data folder.')
  }
}
