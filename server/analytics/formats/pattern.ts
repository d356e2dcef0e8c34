import { LogFormatError } from './log-format.ts'

/** What a variable of a pattern holds. `ignored` = nothing that is counted. */
export type PatternRole =
  | 'address'
  | 'client'
  | 'time'
  | 'request'
  | 'method'
  | 'target'
  | 'status'
  | 'referrer'
  | 'userAgent'
  | 'host'
  | 'accept'
  | 'query'
  | 'forwarded'
  | 'ignored'

/** A variable of a pattern. */
export interface PatternVariable {
  /** As written, such as `$remote_addr` or `%h`. */
  text: string
  role: PatternRole
  /** Of two variables with the same role, the one with the lower rank is used. */
  rank: number
  /** The request header that the variable holds, in lower case; a client field may name it. */
  header?: string
  /** Whether the address may be a host name. */
  mayBeHostname?: boolean
  /** The form of a time, see `createTimeReader`. */
  time?: string
}

export type PatternElement = string | PatternVariable

/** How a server escapes the values of variables. */
export type PatternEscape = 'backslash' | 'json' | 'none'

/** The parsed configuration of a log. */
export interface Pattern {
  /** `nginx` or `apache`, for messages. */
  server: 'nginx' | 'apache'
  escape: PatternEscape
  /** Texts and variables in turn. */
  elements: readonly PatternElement[]
}

const remedies: Record<Pattern['server'], Record<string, string>> = {
  nginx: {
    address: '$remote_addr',
    time: '$time_local',
    request: '$request',
    status: '$status',
    'user agent': '"$http_user_agent"',
  },
  apache: { address: '%a', time: '%t', request: '%r', status: '%>s', 'user agent': '"%{User-Agent}i"' },
}

/** Values that may contain spaces. If a space ends them, their end is not known. */
const spacedRoles: readonly PatternRole[] = ['request', 'userAgent', 'referrer']

/**
 * Checks that lines of the pattern have all that is needed, and that the end of each variable can be found.
 *
 * @throws {LogFormatError} that names what is missing or the variable whose end is not known.
 */
export function checkPattern({ server, elements }: Pattern): void {
  const variables = elements.filter(element => typeof element !== 'string')
  const has = (role: PatternRole) => variables.some(variable => variable.role === role)
  const missing = [
    ...(has('address') || variables.some(({ header }) => header === 'x-forwarded-for') ? [] : ['address']),
    ...(has('time') ? [] : ['time']),
    ...(has('request') || (has('method') && has('target')) ? [] : ['request']),
    ...(has('status') ? [] : ['status']),
    ...(has('userAgent') ? [] : ['user agent']),
  ]
  if (missing.length > 0) {
    const remedy = missing.map(name => remedies[server][name]).join(' ')
    throw new LogFormatError(`lacks the ${missing.join(', ')}: log also ${remedy}.`, 'format')
  }
  elements.forEach((element, index) => {
    if (typeof element !== 'string') checkEnd(element, elements[index + 1])
  })
}

function checkEnd({ text, role }: PatternVariable, next: PatternElement | undefined): void {
  if (next === undefined || role === 'time') return
  if (typeof next !== 'string') {
    // A path begins with a slash, which no host contains.
    if (next.role === 'target' && role !== 'target') return
    throw new LogFormatError(`has nothing between ${text} and ${next.text}, so that ${text} has no end.`, 'format')
  }
  if (next.startsWith(' ') && spacedRoles.includes(role) && !next.includes('"')) {
    throw new LogFormatError(`has ${text} without quotes before a space, so that ${text} has no end.`, 'format')
  }
}

/** Decodes the escapes of a quoted string of a configuration file. */
export function unescapeSetting(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, char: string) => (char === 't' ? '\t' : char === 'n' ? '\n' : char))
}

/** Joins neighbouring texts and removes empty ones. */
export function joinTexts(elements: readonly PatternElement[]): PatternElement[] {
  const joined: PatternElement[] = []
  for (const element of elements) {
    const last = joined.at(-1)
    if (typeof element === 'string' && typeof last === 'string') joined[joined.length - 1] = last + element
    else if (element !== '') joined.push(element)
  }
  return joined
}
