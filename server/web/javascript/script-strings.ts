/** A string literal of a script that is being read; it lasts as long as the call. */
export interface ScriptString {
  /** Inside of the quotes. */
  start: number
  end: number
  /**
   * The name or sign before it, 1 = the nearest: for `import ("` they are `(` and `import`, for others `""` and the like. White
   * space and comments do not count. '' = there is none.
   */
  before(distance: 1 | 2 | 3): string
}

/** Words that an expression follows: a slash after one begins a pattern. */
const operators = new Set([
  ...['await', 'case', 'delete', 'do', 'else', 'extends', 'in', 'instanceof', 'new', 'of', 'return', 'throw', 'typeof'],
  ...['void', 'yield'],
])
/** Words whose parenthesis a statement follows. */
const conditions = new Set(['for', 'if', 'while', 'with'])
const longestOperator = 'instanceof'.length

const code = (sign: string) => sign.charCodeAt(0)
const slash = code('/')
const star = code('*')
const backslash = code('\\')
const backtick = code('`')
const dollar = code('$')
const dot = code('.')
const greater = code('>')
const equals = code('=')
const roundOpen = code('(')
const roundClose = code(')')
const squareOpen = code('[')
const squareClose = code(']')
const curlyOpen = code('{')
const curlyClose = code('}')

const wordSigns = Uint8Array.from({ length: 128 }, (_, sign) => Number(/[\w$#]/.test(String.fromCharCode(sign))))
const isWordSign = (sign: number) => (sign < 128 ? wordSigns[sign] === 1 : sign >= 128)
/** Signs that an object may follow, where a block may not. */
const beforeObject = new Set(Array.from('(,=:[!&|?+-*%~^<>', code))

/** What a token is: the code of a sign, or one of these. */
const word = -1
const string = -2
const pattern = -3
const placeholder = -4
const template = -5
const names = new Map([
  [string, '""'],
  [pattern, '//'],
  [placeholder, '${'],
  [template, '``'],
])

/**
 * Finds the string literals of a script, those of comments, patterns and templates left out; a template without
 * placeholders counts as one. It knows as much of the language as it takes to tell these apart, and never fails. It reads codes
 * and cuts nothing out that nobody asks for: an app has megabytes of scripts, and hardly a string of them matters.
 */
export function readScriptStrings(text: string, onString: (found: ScriptString) => void): void {
  const { length } = text
  // The last three tokens: what they are, and where they stand when they are words.
  let [second, third, last] = [0, 0, 0]
  let [secondStart, thirdStart, lastStart] = [0, 0, 0]
  let [secondEnd, thirdEnd, lastEnd] = [0, 0, 0]
  // What each open bracket means for a slash behind its end.
  const open: { isTemplate: boolean; startsPattern: boolean }[] = []
  let startsPattern = true
  let at = 0
  // Where no pattern ended none of those that begin before will: without it a page of slashes takes quadratic time.
  let patternless = 0

  const tokenText = (token: number, start: number, end: number) =>
    token === word ? text.slice(start, end) : token === 0 ? '' : (names.get(token) ?? String.fromCharCode(token))
  const found: ScriptString = {
    start: 0,
    end: 0,
    before(distance) {
      if (distance === 1) return tokenText(last, lastStart, lastEnd)
      return distance === 2 ? tokenText(third, thirdStart, thirdEnd) : tokenText(second, secondStart, secondEnd)
    },
  }

  function note(token: number, patternNext: boolean, start = 0, end = 0) {
    second = third
    secondStart = thirdStart
    secondEnd = thirdEnd
    third = last
    thirdStart = lastStart
    thirdEnd = lastEnd
    last = token
    lastStart = start
    lastEnd = end
    startsPattern = patternNext
  }

  function addString(start: number, end: number) {
    found.start = start
    found.end = end
    onString(found)
    note(string, false)
  }

  function isLastIn(words: ReadonlySet<string>): boolean {
    return last === word && lastEnd - lastStart <= longestOperator && words.has(text.slice(lastStart, lastEnd))
  }

  /** Where a string or pattern that begins at `from` is closed; where its line ends, as a negative number, when it is not. */
  function findEnd(from: number, close: number): number {
    let inClass = false
    let end = from
    for (; end < length; end += 1) {
      const sign = text.charCodeAt(end)
      if (sign === 10 || sign === 13) break
      if (sign === backslash) end += text.charCodeAt(end + 1) === 13 && text.charCodeAt(end + 2) === 10 ? 2 : 1
      else if (sign === close && !inClass) return end
      else if (close === slash && (sign === squareOpen || sign === squareClose)) inClass = sign === squareOpen
    }
    return -Math.min(end, length)
  }

  function readQuoted(quote: number) {
    const end = findEnd(at + 1, quote)
    if (end > 0) addString(at + 1, end)
    else note(string, false)
    at = end > 0 ? end + 1 : -end
  }

  function readPattern(): boolean {
    if (!startsPattern || at < patternless) return false
    const end = findEnd(at + 1, slash)
    if (end <= 0) {
      patternless = -end
      return false
    }
    at = end + 1
    while (at < length && isSmallLetter(text.charCodeAt(at))) at += 1
    note(pattern, false)
    return true
  }

  /** Reads on in a template up to its end or a placeholder. */
  function readTemplate(isWhole: boolean) {
    const start = at
    for (; at < length; at += 1) {
      const sign = text.charCodeAt(at)
      if (sign === backtick) break
      if (sign === dollar && text.charCodeAt(at + 1) === curlyOpen) {
        at += 2
        open.push({ isTemplate: true, startsPattern: false })
        return note(placeholder, true)
      }
      if (sign === backslash) at += 1
    }
    at += 1
    if (isWhole && at <= length) addString(start, at - 1)
    else note(template, false)
  }

  function readComment(): boolean {
    const next = text.charCodeAt(at + 1)
    if (next === star) {
      const end = text.indexOf('*/', at + 2)
      at = end === -1 ? length : end + 2
      return true
    }
    if (next !== slash) return false
    while (at < length && !isLineEnd(text.charCodeAt(at))) at += 1
    return true
  }

  function readWord() {
    const start = at
    while (at < length && isWordSign(text.charCodeAt(at))) at += 1
    const isMember = last === dot
    note(word, false, start, at)
    startsPattern = !isMember && isLastIn(operators)
  }

  function readSign(sign: number) {
    if (sign === roundOpen) open.push({ isTemplate: false, startsPattern: isLastIn(conditions) })
    else if (sign === curlyOpen) {
      const isObject = isLastIn(operators) ? !isLastIn(blockWords) : beforeObject.has(last)
      // The body of an arrow is no object.
      open.push({ isTemplate: false, startsPattern: !isObject || (last === greater && third === equals) })
    } else if (sign === curlyClose || sign === roundClose) {
      const opened = open.pop()
      if (opened?.isTemplate) return readTemplate(false)
      return note(sign, opened?.startsPattern ?? true)
    }
    note(sign, sign !== squareClose)
  }

  while (at < length) {
    const sign = text.charCodeAt(at)
    if (sign <= 32 || isWideSpace(sign)) at += 1
    else if (sign === slash && (readComment() || readPattern())) continue
    else if (sign === 34 || sign === 39) readQuoted(sign)
    else if (isWordSign(sign)) readWord()
    else {
      at += 1
      if (sign === backtick) readTemplate(true)
      else readSign(sign)
    }
  }
}

const blockWords = new Set(['do', 'else'])
const isSmallLetter = (sign: number) => sign >= 97 && sign <= 122
const isLineEnd = (sign: number) => sign === 10 || sign === 13 || sign === 0x2028 || sign === 0x2029
const isWideSpace = (sign: number) => sign === 0xa0 || sign === 0xfeff || sign === 0x2028 || sign === 0x2029

/** What a string literal stands for: its escapes decoded. */
export function decodeEscapes(text: string): string {
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
