/** A string literal of a script during the scan. Valid only during the callback. */
export interface ScriptString {
  /** Position inside the quotes. */
  start: number
  end: number
  /**
   * Returns the name or sign before the string; 1 = the nearest. For `import ("`, the results are `(` and `import`. A
   * string is `""`, a pattern `//`, a placeholder `${` and a template two backticks. White space and comments are skipped.
   * '' = none.
   */
  before(distance: 1 | 2 | 3): string
}

/** Keywords before an expression. A slash after such a keyword begins a regular expression. */
const operators = new Set([
  ...['await', 'case', 'delete', 'do', 'else', 'extends', 'in', 'instanceof', 'new', 'of', 'return', 'throw', 'typeof'],
  ...['void', 'yield'],
])
/** Keywords with a condition in parentheses. A statement follows the closing parenthesis. */
const conditions = new Set(['for', 'if', 'while', 'with'])
/** Operators before a block. Other operators are followed by an object. */
const blockWords = new Set(['do', 'else'])
const maxKeywordLength = 'instanceof'.length

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
const isSmallLetter = (sign: number) => sign >= 97 && sign <= 122
const isLineEnd = (sign: number) => sign === 10 || sign === 13 || sign === 0x2028 || sign === 0x2029
const isWideSpace = (sign: number) => sign === 0xa0 || sign === 0xfeff || sign === 0x2028 || sign === 0x2029
/** A curly bracket after these signs begins an object, not a block. */
const beforeObject = new Set(Array.from('(,=:[!&|?+-*%~^<>', code))

/** A token is the character code of a sign, or one of these values. */
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
 * Finds the string literals of a script, including templates without placeholders. Strings inside comments, regular
 * expressions and other templates are skipped. The scanner knows only the syntax that it needs and never fails. It works on
 * character codes and extracts only the text that a caller requests, because an app has megabytes of scripts and few
 * relevant strings.
 */
export function readScriptStrings(text: string, onString: (found: ScriptString) => void): void {
  new StringReader(text, onString).read()
}

/** Returns the value of a string literal with its escapes decoded. */
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

/**
 * Reads one script, token by token. The reader is also the reported ScriptString, because a script may have a million
 * strings.
 */
class StringReader implements ScriptString {
  start = 0
  end = 0
  readonly #text: string
  readonly #onString: (found: ScriptString) => void
  #at = 0
  // The last three tokens, and the positions of tokens that are words.
  #second = 0
  #secondStart = 0
  #secondEnd = 0
  #third = 0
  #thirdStart = 0
  #thirdEnd = 0
  #last = 0
  #lastStart = 0
  #lastEnd = 0
  /** For each open bracket, whether a slash after the closing bracket begins a regular expression. */
  readonly #open: { isTemplate: boolean; startsPattern: boolean }[] = []
  #startsPattern = true
  /** No regular expression ends before this position. Without this field, a script of slashes would take quadratic time. */
  #patternless = 0

  constructor(text: string, onString: (found: ScriptString) => void) {
    this.#text = text
    this.#onString = onString
  }

  read(): void {
    const text = this.#text
    const { length } = text
    while (this.#at < length) {
      const sign = text.charCodeAt(this.#at)
      if (sign <= 32 || isWideSpace(sign)) this.#at += 1
      else if (sign === slash && (this.#readComment() || this.#readPattern())) continue
      else if (sign === 34 || sign === 39) this.#readQuoted(sign)
      else if (isWordSign(sign)) this.#readWord()
      else {
        this.#at += 1
        if (sign === backtick) this.#readTemplate(true)
        else this.#readSign(sign)
      }
    }
  }

  before(distance: 1 | 2 | 3): string {
    if (distance === 1) return this.#tokenText(this.#last, this.#lastStart, this.#lastEnd)
    if (distance === 2) return this.#tokenText(this.#third, this.#thirdStart, this.#thirdEnd)
    return this.#tokenText(this.#second, this.#secondStart, this.#secondEnd)
  }

  #tokenText(token: number, start: number, end: number): string {
    if (token === word) return this.#text.slice(start, end)
    return token === 0 ? '' : (names.get(token) ?? String.fromCharCode(token))
  }

  #note(token: number, startsPattern: boolean, start = 0, end = 0): void {
    this.#second = this.#third
    this.#secondStart = this.#thirdStart
    this.#secondEnd = this.#thirdEnd
    this.#third = this.#last
    this.#thirdStart = this.#lastStart
    this.#thirdEnd = this.#lastEnd
    this.#last = token
    this.#lastStart = start
    this.#lastEnd = end
    this.#startsPattern = startsPattern
  }

  #addString(start: number, end: number): void {
    this.start = start
    this.end = end
    this.#onString(this)
    this.#note(string, false)
  }

  #isLastIn(words: ReadonlySet<string>): boolean {
    if (this.#last !== word || this.#lastEnd - this.#lastStart > maxKeywordLength) return false
    return words.has(this.#text.slice(this.#lastStart, this.#lastEnd))
  }

  #readQuoted(quote: number): void {
    const end = findEnd(this.#text, this.#at + 1, quote)
    if (end > 0) this.#addString(this.#at + 1, end)
    else this.#note(string, false)
    this.#at = end > 0 ? end + 1 : -end
  }

  #readPattern(): boolean {
    if (!this.#startsPattern || this.#at < this.#patternless) return false
    const end = findEnd(this.#text, this.#at + 1, slash)
    if (end <= 0) {
      this.#patternless = -end
      return false
    }
    let at = end + 1
    while (at < this.#text.length && isSmallLetter(this.#text.charCodeAt(at))) at += 1
    this.#at = at
    this.#note(pattern, false)
    return true
  }

  /** Reads a template from here to its end or to a placeholder. */
  #readTemplate(isWhole: boolean): void {
    const text = this.#text
    const start = this.#at
    let at = start
    for (; at < text.length; at += 1) {
      const sign = text.charCodeAt(at)
      if (sign === backtick) break
      if (sign === dollar && text.charCodeAt(at + 1) === curlyOpen) {
        this.#at = at + 2
        this.#open.push({ isTemplate: true, startsPattern: false })
        this.#note(placeholder, true)
        return
      }
      if (sign === backslash) at += 1
    }
    this.#at = at + 1
    if (isWhole && at < text.length) this.#addString(start, at)
    else this.#note(template, false)
  }

  #readComment(): boolean {
    const text = this.#text
    const next = text.charCodeAt(this.#at + 1)
    if (next === star) {
      const end = text.indexOf('*/', this.#at + 2)
      this.#at = end === -1 ? text.length : end + 2
      return true
    }
    if (next !== slash) return false
    let at = this.#at
    while (at < text.length && !isLineEnd(text.charCodeAt(at))) at += 1
    this.#at = at
    return true
  }

  #readWord(): void {
    const text = this.#text
    const start = this.#at
    let at = start
    while (at < text.length && isWordSign(text.charCodeAt(at))) at += 1
    this.#at = at
    const isMember = this.#last === dot
    this.#note(word, false, start, at)
    this.#startsPattern = !isMember && this.#isLastIn(operators)
  }

  #readSign(sign: number): void {
    if (sign === curlyClose || sign === roundClose) {
      const opened = this.#open.pop()
      if (opened?.isTemplate) this.#readTemplate(false)
      else this.#note(sign, opened?.startsPattern ?? true)
      return
    }
    if (sign === roundOpen) this.#open.push({ isTemplate: false, startsPattern: this.#isLastIn(conditions) })
    else if (sign === curlyOpen) this.#open.push({ isTemplate: false, startsPattern: this.#beginsBlock() })
    this.#note(sign, sign !== squareClose)
  }

  /** Decides whether the curly bracket here begins a block, as opposed to an object. */
  #beginsBlock(): boolean {
    // The body of an arrow function.
    if (this.#last === greater && this.#third === equals) return true
    return this.#isLastIn(operators) ? this.#isLastIn(blockWords) : !beforeObject.has(this.#last)
  }
}

/**
 * Returns the end of the string or regular expression that begins at `from`. If it is not closed, returns the end of the
 * line as a negative number.
 */
function findEnd(text: string, from: number, close: number): number {
  let inClass = false
  let end = from
  for (; end < text.length; end += 1) {
    const sign = text.charCodeAt(end)
    if (sign === 10 || sign === 13) break
    if (sign === backslash) end += text.charCodeAt(end + 1) === 13 && text.charCodeAt(end + 2) === 10 ? 2 : 1
    else if (sign === close && !inClass) return end
    else if (close === slash && (sign === squareOpen || sign === squareClose)) inClass = sign === squareOpen
  }
  return -Math.min(end, text.length)
}
