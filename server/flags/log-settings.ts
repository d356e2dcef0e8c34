import { type Command, InvalidArgumentError } from 'commander'
import { envelopes } from '../analytics/envelopes/envelopes.ts'
import type { LogSettings } from '../analytics/envelopes/log-settings.ts'
import type { Ipv6Prefix } from '../analytics/formats/address.ts'
import { formats } from '../analytics/formats/formats.ts'
import { isHaproxyFormat } from '../analytics/formats/haproxy.ts'
import { parseJsonFields } from '../analytics/formats/json.ts'
import { isTimeZone } from '../analytics/formats/local-time.ts'
import { LogFormatError, nameFlag } from '../analytics/formats/log-format.ts'
import { createPatternFormat, isPattern } from '../analytics/formats/pattern-format.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ownAgentClasses } from '../tenancy/project.ts'
import { readAgentsFile } from './agents-file.ts'
import { type FlagsOf, integer, nonEmpty, type Settings } from './setting.ts'
import { shared } from './shared-settings.ts'

/** The settings for the format of a log. The prefix is `follow-` in commands that do more than read logs. */
export function createLogSettings<Prefix extends '' | 'follow-'>(prefix: Prefix) {
  return {
    format: {
      flag: `--${prefix}format <name>`,
      env: 'QUIRE_LOG_FORMAT',
      what: "format of the lines: a name, or the text of nginx's log_format or Apache's LogFormat (default: detected automatically)",
      read: (text: string) => checkFormat(text, prefix),
    },
    envelope: {
      flag: `--${prefix}envelope <name>`,
      env: 'QUIRE_LOG_ENVELOPE',
      what: 'text that a logging system writes around each line (default: detected automatically)',
      choices: [...envelopes.map(({ name }) => name), 'none'],
    },
    jsonFields: {
      flag: `--${prefix}json-fields <list>`,
      env: 'QUIRE_LOG_JSON_FIELDS',
      what: 'fields of format json: NAME=PATH,...',
      // The text, because a format object cannot be sent to a thread.
      read: (text: string) => check(text, prefix, parseJsonFields),
    },
    timezone: {
      flag: `--${prefix}timezone <name>`,
      env: 'QUIRE_LOG_TIMEZONE',
      what: 'time zone of the dates of HAProxy, such as Europe/Berlin (default: UTC)',
      read: readTimeZone,
    },
    clientField: {
      flag: `--${prefix}client-field <name>`,
      env: 'QUIRE_LOG_CLIENT_FIELD',
      what: 'log field that contains X-Forwarded-For (default: use the connecting address)',
      read: nonEmpty('a field, such as X-Forwarded-For, or the word "last"'),
    },
    trustedProxies: {
      flag: `--${prefix}trusted-proxies <number>`,
      env: 'QUIRE_LOG_TRUSTED_PROXIES',
      what: `number of trusted proxies N; the client address is the Nth from the right in --${prefix}client-field`,
      read: integer(1, 100),
    },
    markdownAsAi: {
      flag: `--${prefix}markdown-as-ai`,
      env: 'QUIRE_LOG_MARKDOWN_AS_AI',
      what: 'count Markdown views by programs that no list names as AI (default: as neither AI nor human)',
    },
    agentsFile: {
      flag: `--${prefix}agents-file <file>`,
      env: 'QUIRE_LOG_AGENTS_FILE',
      what: 'JSON file of agents that are asked before the built-in ones',
      read: readAgentsFile,
    },
    ipv6Prefix: {
      flag: `--${prefix}ipv6-prefix <bits>`,
      env: 'QUIRE_LOG_IPV6_PREFIX',
      what: 'leading bits of an IPv6 address that identify a visitor: 128, or 64 because one subscriber has a /64 (default: 64; 128 for projects that counted so before, until visits reset)',
      read: readIpv6Prefix,
    },
  } as const satisfies Settings
}

/** The settings of the commands that read a log. */
export const logSettings = createLogSettings('')

/** The settings for the project of a log; one of them is required. */
export const visitedSettings = {
  project: shared.project,
  byHost: {
    flag: '--by-host',
    env: 'QUIRE_BY_HOST',
    what: 'assign each line to a project by its host, which must be the domain of a registered site',
  },
} as const satisfies Settings

/** For the commands that count logs. */
export const strict = {
  flag: '--strict',
  env: 'QUIRE_STRICT',
  what: 'record nothing and fail if the counts of a log may be wrong',
} as const

/**
 * Reads the flags for the format of a log.
 *
 * @param prefix of the flags
 * @throws {OperatorError} when flags cannot be combined.
 */
export function readLogFlags(flags: FlagsOf<typeof logSettings>, prefix = ''): LogSettings {
  const { format, envelope, jsonFields, timezone, clientField, trustedProxies, ipv6Prefix, markdownAsAi, agentsFile } =
    flags
  if (jsonFields !== undefined && format !== undefined && format !== 'json') {
    throw new OperatorError(
      `--${prefix}json-fields can only be used with --${prefix}format json, not with ${format}.`,
      2,
    )
  }
  if (format === 'json' && jsonFields === undefined) {
    throw new OperatorError(`--${prefix}format json needs --${prefix}json-fields. See --help.`, 2)
  }
  if (timezone !== undefined && !isHaproxyFormat(format ?? '')) {
    throw new OperatorError(
      `--${prefix}timezone needs --${prefix}format 'haproxy{...}'. The dates of other formats have an offset, or are UTC.`,
      2,
    )
  }
  if (trustedProxies !== undefined && clientField === undefined) {
    throw new OperatorError(
      `--${prefix}trusted-proxies needs --${prefix}client-field: it counts the addresses of that field.`,
      2,
    )
  }
  return {
    ...(format !== undefined && { format }),
    ...(envelope !== undefined && { envelope }),
    ...(jsonFields !== undefined && { jsonFields }),
    ...(timezone !== undefined && { timeZone: timezone }),
    ...(clientField !== undefined && { clientField }),
    ...(trustedProxies !== undefined && { trustedProxies }),
    ...(markdownAsAi && { markdownAsAi }),
    ...(agentsFile && { agents: agentsFile }),
    ...(ipv6Prefix !== undefined && { ipv6Prefix }),
  }
}

/** The end of `--help`. */
export const logHelp = `Formats: ${formats.map(({ name }) => name).join(', ')},
and json: any JSON lines, if you give the dotted paths of the fields:
  --json-fields time=ts,method=req.method,path=req.url,status=res.status,userAgent=req.ua,address=ip,host=vhost
Times are RFC 3339, the date format of combined logs, or Unix time in seconds, milliseconds, microseconds or nanoseconds.
host is only needed for --by-host. referrer and accept are optional. Traefik must be configured to keep the user agent:
accessLog.fields.headers.names.User-Agent=keep

For your own format, give the text of nginx's log_format or Apache's LogFormat, or the captured headers of HAProxy:
  --format '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
  --format '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"'
  --format 'haproxy{Host|User-Agent|Referer}' --timezone Europe/Berlin

A prefix of syslog, containerd, Docker, Docker Compose or journald is detected and removed. --envelope sets it.

Behind proxies, the log contains a list of addresses. Name the field that contains it with --client-field. Use a header
(caddy, traefik-json, nginx, apache, haproxy), a column (cloudfront, w3c) or a dotted path (other JSON). For combined,
vhost_combined, ingress-nginx and traefik, give the position of the field after the user agent (1 = the first), or the word
"last". The leftmost valid address of the list counts. Clients can send a forged list. If the first proxy does not replace
it, give --trusted-proxies N. With N = 1, the last entry counts, because your own proxy wrote it.

A view counts as its user agent does, also a view of a page as Markdown. --markdown-as-ai adds the Markdown views (a path
that ends in .md, or Accept: text/markdown where the log has it) by programs that no list names. Use the same setting for
every import of a project: a view that was counted keeps its class.

--agents-file adds agents, or gives built-in ones another class (${ownAgentClasses.join(', ')}):
  {"agents": [{"name": "OurBot", "class": "assistant", "contains": ["OurBot/"], "ranges": ["192.0.2.0/24"]}]}
To keep them with a project, for all ways in: npx quire projects set --help

The client must be an IPv4 or IPv6 address. Ports, brackets and zones are removed, and all spellings of an address are one
visitor. combined and vhost_combined may have a host name instead (Apache with HostnameLookups). A line without any of these
is malformed (bad-address). All addresses of a /64 network are one visitor, because a subscriber has it whole and a device changes
the rest each day. --ipv6-prefix 128 tells them apart. Keep this setting for all logs of a project: the same address is another
visitor with the other setting.`

function readTimeZone(text: string): string {
  if (isTimeZone(text)) return text
  throw new InvalidArgumentError('It must be a time zone, such as Europe/Berlin or UTC.')
}

function readIpv6Prefix(text: string): Ipv6Prefix {
  if (text === '64') return 64
  if (text === '128') return 128
  throw new InvalidArgumentError('It must be 64 or 128.')
}

/** Checks the name or the pattern and returns the text. */
function checkFormat(text: string, prefix: string): string {
  if (isPattern(text)) return check(text, prefix, createPatternFormat)
  const names = [...formats.map(({ name }) => name), 'json']
  if (names.includes(text)) return text
  throw new InvalidArgumentError(
    `Allowed choices are ${names.join(', ')}, or a text with variables such as $remote_addr or %h.`,
  )
}

function check(text: string, prefix: string, parse: (text: string) => unknown): string {
  try {
    parse(text)
    return text
  } catch (error) {
    throw error instanceof LogFormatError ? new InvalidArgumentError(nameFlag(error, prefix)) : error
  }
}

/**
 * Returns the id of the project that all lines belong to; undefined = by host.
 *
 * @throws {OperatorError} when neither is given, or both are typed.
 */
export function readVisited(
  command: Command,
  { project, byHost }: FlagsOf<typeof visitedSettings>,
): string | undefined {
  const isTyped = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (isTyped('project') && isTyped('byHost')) {
    throw new OperatorError('--project and --by-host cannot be combined.', 2)
  }
  // Flags override the environment.
  const projectId = byHost && !isTyped('project') ? undefined : project
  if (projectId !== undefined || byHost) return projectId
  throw new OperatorError(
    'Give --project ID, or --by-host if the log contains the host. See: npx quire projects list',
    2,
  )
}

/** The paragraph about buckets in `--help`. */
export const bucketHelp = `The logs in a bucket are the objects below s3://BUCKET/PREFIX, with ?endpoint=URL&region=NAME&path-style=true|false if needed.
The prefix may end inside a name. Credentials come from AWS_ACCESS_KEY_ID and so on. They need s3:ListBucket and s3:GetObject.`

/** The paragraph about warnings in `--help`. */
export const strictHelp = `A warning says that the counts of a log may be wrong: most lines are malformed, the first lines are in no format or in
several, no line is a page view or has a user agent, nearly every page view is of a new visitor, nearly all are of one address,
the dates jump by more than a year, or nothing below a header could be read. With --strict, nothing is recorded when there is a
warning or a log cannot be read, and the command fails.`
