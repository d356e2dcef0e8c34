import { LogFormatError } from './log-format.ts'
import {
  joinTexts,
  type Pattern,
  type PatternElement,
  type PatternEscape,
  type PatternRole,
  type PatternVariable,
  unescapeSetting,
} from './pattern.ts'

/** The variables that are read, in order of preference for each role. Others are skipped. */
const roles: Partial<Record<PatternRole, readonly string[]>> = {
  address: ['remote_addr', 'proxy_protocol_addr', 'realip_remote_addr'],
  time: ['time_iso8601', 'time_local', 'msec'],
  request: ['request'],
  method: ['request_method'],
  target: ['request_uri', 'uri', 'document_uri'],
  status: ['status'],
  referrer: ['http_referer'],
  userAgent: ['http_user_agent'],
  host: ['http_host', 'host', 'server_name'],
  accept: ['http_accept'],
  query: ['args', 'query_string'],
}

const times: Record<string, string> = { time_iso8601: 'iso', time_local: 'clf', msec: 'epoch' }

/** Variables that continue a target. */
const queryParts = ['is_args', 'args', 'query_string']

const directive = /^\s*(?:log_format\s+\S+\s+)?(?:escape=(\w+)\s+)?/

/**
 * Parses the format of nginx's `log_format`: the text alone, or the whole directive with its name, `escape=` and quotes.
 * https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format
 *
 * @throws {LogFormatError} when the escape is unknown.
 */
export function parseNginxPattern(text: string): Pattern {
  const [head = '', escapeName] = directive.exec(text) ?? []
  const mode = escapeName ?? 'default'
  if (mode !== 'default' && mode !== 'json' && mode !== 'none') {
    throw new LogFormatError(`has escape=${mode}. nginx has default, json and none.`, 'format')
  }
  const escapes: Record<typeof mode, PatternEscape> = { default: 'backslash', json: 'json', none: 'none' }
  return { server: 'nginx', escape: escapes[mode], elements: splitVariables(joinStrings(text.slice(head.length))) }
}

/** Joins quoted strings, as a configuration file has them. A text without quotes around it is used as it is. */
function joinStrings(text: string): string {
  const body = text.trim().replace(/;$/, '').trim()
  const strings = /^(?:'(?:[^'\\]|\\.)*'\s*|"(?:[^"\\]|\\.)*"\s*)+$/s.test(body)
    ? [...body.matchAll(/(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*/gsy)].map(
        ([, single, double]) => single ?? double ?? '',
      )
    : [body]
  return unescapeSetting(strings.join(''))
}

function splitVariables(text: string): PatternElement[] {
  const elements: PatternElement[] = []
  let at = 0
  for (const match of text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    const name = match[1] ?? match[2] ?? ''
    const before = text.slice(at, match.index)
    const last = elements.at(-1)
    at = match.index + match[0].length
    const isQuery = before === '' && typeof last === 'object' && last.role === 'target' && queryParts.includes(name)
    if (!isQuery) elements.push(before, describe(name))
  }
  return joinTexts([...elements, text.slice(at)])
}

function describe(name: string): PatternVariable {
  const header = /^http_(\w+)$/.exec(name)?.[1]?.replaceAll('_', '-')
  const variable: PatternVariable = { text: `$${name}`, role: 'ignored', rank: 0 }
  // The variable has the header with the address of the peer appended.
  if (name === 'proxy_add_x_forwarded_for') variable.header = 'x-forwarded-for'
  else if (header !== undefined) variable.header = header
  for (const [role, names] of Object.entries(roles) as [PatternRole, readonly string[]][]) {
    const rank = names.indexOf(name)
    if (rank !== -1) Object.assign(variable, { role, rank })
  }
  if (times[name] !== undefined) variable.time = times[name]
  return variable
}
