import { type Command, InvalidArgumentError, Option } from 'commander'
import { envelopes } from '../analytics/envelopes/envelopes.ts'
import type { LogSettings } from '../analytics/envelopes/log-settings.ts'
import type { Ipv6Prefix } from '../analytics/formats/address.ts'
import { formats } from '../analytics/formats/formats.ts'
import { parseJsonFields } from '../analytics/formats/json.ts'
import { LogFormatError, nameFlag } from '../analytics/formats/log-format.ts'
import { createPatternFormat, isPattern } from '../analytics/formats/pattern-format.ts'
import { OperatorError } from '../base/operator-error.ts'
import { integer } from './integer.ts'
import { nonEmpty } from './non-empty.ts'

/** The parsed flags of `logOptions`. */
export interface LogFlags extends LogSettings {}

/** Adds the flags for the format of a log. */
export function addLogOptions(command: Command): Command {
  for (const option of logOptions()) command.addOption(option)
  return command
}

/** @param prefix of the flags in commands that do more than read logs: `follow-` */
export function logOptions(prefix = ''): Option[] {
  return [
    new Option(
      `--${prefix}format <name>`,
      "format of the lines: a name, or the text of nginx's log_format or Apache's LogFormat (default: detected automatically)",
    )
      .env('QUIRE_LOG_FORMAT')
      .argParser(text => checkFormat(text, prefix)),
    new Option(
      `--${prefix}envelope <name>`,
      'text that a logging system writes around each line (default: detected automatically)',
    )
      .env('QUIRE_LOG_ENVELOPE')
      .choices([...envelopes.map(({ name }) => name), 'none']),
    new Option(`--${prefix}json-fields <list>`, 'fields of format json: NAME=PATH,...')
      .env('QUIRE_LOG_JSON_FIELDS')
      .argParser(text => checkJsonFields(text, prefix)),
    new Option(
      `--${prefix}client-field <name>`,
      'log field that contains X-Forwarded-For (default: use the connecting address)',
    )
      .env('QUIRE_LOG_CLIENT_FIELD')
      .argParser(nonEmpty('a field, such as X-Forwarded-For, or the word "last"')),
    new Option(
      `--${prefix}trusted-proxies <number>`,
      `number of trusted proxies N; the client address is the Nth from the right in --${prefix}client-field`,
    )
      .env('QUIRE_LOG_TRUSTED_PROXIES')
      .argParser(integer(1, 100)),
    new Option(
      `--${prefix}markdown-as-ai`,
      'count Markdown views by programs that no list names as AI (default: as neither AI nor human)',
    ).env('QUIRE_LOG_MARKDOWN_AS_AI'),
    new Option(
      `--${prefix}ipv6-prefix <bits>`,
      'leading bits of an IPv6 address that identify a visitor: 128, or 64 because one subscriber has a /64 (default: 128)',
    )
      .env('QUIRE_LOG_IPV6_PREFIX')
      .argParser(readIpv6Prefix),
  ]
}

/**
 * Reads the flags for the format of a log.
 *
 * @param prefix see `logOptions`
 * @throws {OperatorError} when flags cannot be combined.
 */
export function readLogFlags(flags: LogFlags, prefix = ''): LogSettings {
  const { format, envelope, jsonFields, clientField, trustedProxies, ipv6Prefix, markdownAsAi } = flags
  if (jsonFields !== undefined && format !== undefined && format !== 'json') {
    throw new OperatorError(
      `--${prefix}json-fields can only be used with --${prefix}format json, not with ${format}.`,
      2,
    )
  }
  if (format === 'json' && jsonFields === undefined) {
    throw new OperatorError(`--${prefix}format json needs --${prefix}json-fields. See --help.`, 2)
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
    ...(clientField !== undefined && { clientField }),
    ...(trustedProxies !== undefined && { trustedProxies }),
    ...(markdownAsAi && { markdownAsAi }),
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
  --format 'haproxy{Host|User-Agent|Referer}'

A prefix of syslog, containerd, Docker, Docker Compose or journald is detected and removed. --envelope sets it.

Behind proxies, the log contains a list of addresses. Name the field that contains it with --client-field. Use a header
(caddy, traefik-json, nginx, apache, haproxy), a column (cloudfront, w3c) or a dotted path (other JSON). For combined,
vhost_combined, ingress-nginx and traefik, give the position of the field after the user agent (1 = the first), or the word
"last". The leftmost valid address of the list counts. Clients can send a forged list. If the first proxy does not replace
it, give --trusted-proxies N. With N = 1, the last entry counts, because your own proxy wrote it.

A view counts as its user agent does, also a view of a page as Markdown. --markdown-as-ai adds the Markdown views (a path
that ends in .md, or Accept: text/markdown where the log has it) by programs that no list names. Use the same setting for
every import of a project: a view that was counted keeps its class.

The client must be an IPv4 or IPv6 address. Ports, brackets and zones are removed, and all spellings of an address are one
visitor. combined and vhost_combined may have a host name instead (Apache with HostnameLookups). A line without any of these
is malformed (bad-address). With --ipv6-prefix 64, all addresses of a /64 network are one visitor. Keep this setting for all
logs of a project: the same address is another visitor with the other setting.`

function readIpv6Prefix(text: string): Ipv6Prefix {
  if (text === '64') return 64
  if (text === '128') return 128
  throw new InvalidArgumentError('It must be 64 or 128.')
}

/** Checks the fields and returns the text, because a format object cannot be sent to a thread. */
function checkJsonFields(text: string, prefix: string): string {
  return check(text, prefix, parseJsonFields)
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
