/** A string literal of a script, and what stands before it. */
export interface ScriptString {
  /** Escapes decoded. */
  value: string
  /** Inside of the quotes. */
  start: number
  end: number
  /** The names and signs before it, nearest last: `import (`, `new URL (`, `from`. White space and comments do not count. */
  before: readonly string[]
  /** After the closing quote. */
  after: number
}

/** Words that an expression follows: a slash after one begins a pattern. */
const operators = new Set([
  ...['await', 'case', 'delete', 'do', 'else', 'extends', 'in', 'instanceof', 'new', 'of', 'return', 'throw', 'typeof'],
  ...['void', 'yield'],
])
/** Words whose parenthesis a statement follows. */
const conditions = new Set(['for', 'if', 'while', 'with'])

const comment = /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?(?:\*\/|$)/y
const word = /[\w$\u0080-\uffff#]+/y
const flags = /[a-z]*/y

/**
 * Finds the string literals of a script, those of comments, patterns and templates left out; a template without
 * placeholders counts as one. It knows as much of the language as it takes to tell these apart, and never fails.
 */
export function scriptStrings(text: string): ScriptString[] {
  const found: ScriptString[] = []
  // The last four names and signs; kept apart, since a list for each of a million would take most of the time.
  let [first, second, third, last] = ['', '', '', '']
  // What each open bracket means for a slash behind its end.
  const open: { isTemplate: boolean; startsPattern: boolean }[] = []
  let startsPattern = true
  let at = 0

  function take(expression: RegExp): boolean {
    expression.lastIndex = at
    if (!expression.test(text)) return false
    at = expression.lastIndex
    return true
  }

  function note(token: string, patternNext: boolean) {
    first = second
    second = third
    third = last
    last = token
    startsPattern = patternNext
  }

  function addString(start: number, end: number) {
    found.push({
      value: decodeEscapes(text.slice(start, end)),
      start,
      end,
      before: [first, second, third, last],
      after: end + 1,
    })
    note('""', false)
  }

  /** Where a string or pattern ends that begins at `from`: of its last sign, or of the end of the line and not closed. */
  function findEnd(from: number, close: string): { end: number; isClosed: boolean } {
    let inClass = false
    let end = from
    for (; end < text.length; end += 1) {
      const sign = text[end]
      if (sign === '\n' || sign === '\r') break
      if (sign === '\\') end += text.startsWith('\r\n', end + 1) ? 2 : 1
      else if (sign === close && !inClass) return { end, isClosed: true }
      else if (close === '/' && (sign === '[' || sign === ']')) inClass = sign === '['
    }
    return { end: Math.min(end, text.length), isClosed: false }
  }

  function readQuoted(quote: string) {
    const { end, isClosed } = findEnd(at + 1, quote)
    if (isClosed) addString(at + 1, end)
    else note('""', false)
    at = isClosed ? end + 1 : end
  }

  // Where no pattern ended none of those that begin before will: without it a page of slashes takes quadratic time.
  let patternless = 0
  function readPattern(): boolean {
    if (!startsPattern || at < patternless) return false
    const { end, isClosed } = findEnd(at + 1, '/')
    if (!isClosed) {
      patternless = end
      return false
    }
    at = end + 1
    take(flags)
    note('//', false)
    return true
  }

  /** Reads on in a template up to its end or a placeholder. */
  function readTemplate(isWhole: boolean) {
    const start = at
    while (at < text.length && text[at] !== '`' && !(text[at] === '$' && text[at + 1] === '{'))
      at += text[at] === '\\' ? 2 : 1
    if (text[at] === '$') {
      at += 2
      open.push({ isTemplate: true, startsPattern: false })
      return note('${', true)
    }
    at += 1
    if (isWhole && at <= text.length) addString(start, at - 1)
    else note('``', false)
  }

  function readSign(sign: string) {
    if (sign === '(') open.push({ isTemplate: false, startsPattern: conditions.has(last) })
    else if (sign === '{') {
      const isObject =
        last !== '' && (operators.has(last) ? last !== 'do' && last !== 'else' : /^[(,=:[!&|?+\-*%~^<>]$/.test(last))
      // The body of an arrow is no object.
      open.push({ isTemplate: false, startsPattern: !isObject || (last === '>' && third === '=') })
    } else if (sign === '}' || sign === ')') {
      const opened = open.pop()
      if (opened?.isTemplate) return readTemplate(false)
      return note(sign, opened?.startsPattern ?? true)
    }
    note(sign, sign !== ']')
  }

  while (at < text.length) {
    const start = at
    const sign = text.charAt(at)
    if (sign <= ' ' || sign === '\u00a0' || sign === '\ufeff' || sign === '\u2028' || sign === '\u2029') at += 1
    else if (sign === '/' && take(comment)) continue
    else if (sign === '/' && readPattern()) continue
    else if (sign === '"' || sign === "'") readQuoted(sign)
    else if (take(word)) {
      const name = text.slice(start, at)
      note(name, operators.has(name) && last !== '.')
    } else {
      at += 1
      if (sign === '`') readTemplate(true)
      else readSign(sign)
    }
  }
  return found
}

function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(
    /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|\r?\n|([\s\S]))/gi,
    (_, long: string | undefined, short: string | undefined, byte: string | undefined, plain: string | undefined) => {
      const hex = long ?? short ?? byte
      if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff))
      return plain === undefined
        ? ''
        : ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' }[plain] ?? plain)
    },
  )
}
