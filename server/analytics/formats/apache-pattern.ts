import { LogFormatError } from './log-format.ts'
import {
  joinTexts,
  type Pattern,
  type PatternElement,
  type PatternRole,
  type PatternVariable,
  unescapeSetting,
} from './pattern.ts'

/** Directives without an argument. */
const directives: Record<string, [role: PatternRole, rank: number]> = {
  a: ['address', 0],
  r: ['request', 0],
  m: ['method', 0],
  U: ['target', 0],
  q: ['query', 0],
  s: ['status', 0],
  v: ['host', 1],
  V: ['host', 2],
}

const headers: Record<string, PatternRole> = {
  referer: 'referrer',
  'user-agent': 'userAgent',
  host: 'host',
  accept: 'accept',
}

/** `%`, conditions such as `!200,304`, `<` or `>`, an argument in braces, and the letter. */
const directive = /%(?:!?\d{3}(?:,\d{3})*)?[<>]?(?:\{([^}]*)\})?(\^?[A-Za-z]{1,2}|%)/g

/**
 * Parses the format of Apache's `LogFormat`: the text alone, or the whole directive with its quotes and name.
 * https://httpd.apache.org/docs/current/mod/mod_log_config.html#formats
 *
 * @throws {LogFormatError} when a time has an unknown form.
 */
export function parseApachePattern(text: string): Pattern {
  const quoted = /^\s*(?:LogFormat\s+)?"((?:[^"\\]|\\.)*)"(?:\s+\S+)?\s*$/s.exec(text)?.[1]
  return { server: 'apache', escape: 'backslash', elements: splitDirectives(unescapeSetting(quoted ?? text)) }
}

function splitDirectives(text: string): PatternElement[] {
  const elements: PatternElement[] = []
  let at = 0
  for (const match of text.matchAll(directive)) {
    const [whole, argument, letters = ''] = match
    // A letter of the text may follow the letter of the directive.
    const letter = /^(\^|%)/.test(letters) ? letters : letters.slice(0, 1)
    const end = match.index + whole.length - (letters.length - letter.length)
    const before = text.slice(at, match.index)
    const last = elements.at(-1)
    at = end
    if (letter === '%') elements.push(before, '%')
    // The query follows the path directly.
    else if (letter === 'q' && before === '' && typeof last === 'object' && last.role === 'target') continue
    else elements.push(before, describe(text.slice(match.index, end), letter, argument))
  }
  return joinTexts([...elements, text.slice(at)])
}

function describe(text: string, letter: string, argument: string | undefined): PatternVariable {
  const variable: PatternVariable = { text, role: 'ignored', rank: 0 }
  if (letter === 't') return { ...variable, role: 'time', time: findTimeForm(text, argument) }
  if (letter === 'a' && argument === 'c') return { ...variable, role: 'address', rank: 2 }
  if (letter === 'i' && argument !== undefined) {
    const header = argument.toLowerCase()
    return { ...variable, header, role: headers[header] ?? 'ignored' }
  }
  // Apache writes the name of the client with HostnameLookups.
  if (letter === 'h' && argument === undefined) return { ...variable, role: 'address', rank: 1, mayBeHostname: true }
  const [role, rank] = (argument === undefined ? directives[letter] : undefined) ?? ['ignored', 0]
  return { ...variable, role, rank }
}

/** Returns the form of `%t` or `%{argument}t`. */
function findTimeForm(text: string, argument: string | undefined): string {
  if (argument === undefined || argument === '') return 'clf-brackets'
  const form = argument.replace(/^(begin|end):/, '')
  if (form === 'sec' || form === 'msec' || form === 'usec') return 'epoch'
  if (form === 'msec_frac' || form === 'usec_frac') return 'fraction'
  if (!form.includes('%')) throw new LogFormatError(`has ${text}, a time in an unknown form.`, 'format')
  return form
}
