import { tokenize, tokenTypes } from 'css-tree/tokenizer'

/** A URL in a style sheet. `start` and `end` enclose the whole token: `url(...)` or a quoted string. */
export interface CssUrl {
  url: string
  kind: 'import' | 'image'
  /** The required syntax of a replacement. */
  form: 'url' | 'string'
  start: number
  end: number
}

const { Url, String: Quoted, AtKeyword, Function: Fn, RightParenthesis, WhiteSpace, Comment, Semicolon } = tokenTypes

/** Finds the URLs of url(), @import and image-set(). The URLs of @namespace and @charset are not files. Never throws. */
export function cssUrls(text: string): CssUrl[] {
  if (!/url\(|@import|image-set\(/i.test(text)) return []
  const found: CssUrl[] = []
  let rule: 'import' | 'ignored' | null = null
  // The functions around the current token, innermost last. '' = a plain parenthesis.
  const enclosing: string[] = []
  let argument: { start: number; value: string; end: number } | null = null

  function add(url: string, form: CssUrl['form'], start: number, end: number) {
    const kind = rule === 'import' ? 'import' : 'image'
    if (rule !== 'ignored' && url.trim() !== '') found.push({ url: url.trim(), kind, form, start, end })
    // Only the first URL or string after @import is its address. layer(), supports() and media follow.
    if (rule === 'import') rule = 'ignored'
  }

  tokenize(text, (type, start, end) => {
    if (type === WhiteSpace || type === Comment) return
    if (type === AtKeyword) {
      const name = text.slice(start + 1, end).toLowerCase()
      rule = name === 'import' ? 'import' : name === 'namespace' || name === 'charset' ? 'ignored' : null
    } else if (type === Semicolon || text[start] === '{' || text[start] === '}') {
      rule = null
      enclosing.length = 0
    } else if (type === Url) {
      add(decodeUrl(text.slice(start, end)), 'url', start, end)
    } else if (type === Fn) {
      const name = text.slice(start, end - 1).toLowerCase()
      enclosing.push(name)
      if (name === 'url' || name === 'src') argument = { start, value: '', end: 0 }
    } else if (text[start] === '(') {
      enclosing.push('')
    } else if (type === Quoted) {
      const inside = enclosing.at(-1)
      const value = decodeString(text.slice(start, end))
      if (argument) argument.value = value
      else if (rule === 'import' || inside === 'image-set' || inside === '-webkit-image-set')
        add(value, 'string', start, end)
    } else if (type === RightParenthesis) {
      const name = enclosing.pop()
      if (argument && (name === 'url' || name === 'src')) {
        if (name === 'url') add(argument.value, 'url', argument.start, end)
        argument = null
      }
    }
  })
  return found
}

/** Replaces URLs in a style sheet. If `replace` returns undefined, the bytes stay unchanged. */
export function replaceCssUrls(text: string, replace: (found: CssUrl) => string | undefined): string {
  let out = ''
  let at = 0
  for (const found of cssUrls(text)) {
    const replacement = replace(found)
    if (replacement === undefined) continue
    const written = JSON.stringify(replacement)
    out += text.slice(at, found.start) + (found.form === 'url' ? `url(${written})` : written)
    at = found.end
  }
  return at === 0 ? text : out + text.slice(at)
}

/** Returns the address in a url() without quotes. */
function decodeUrl(token: string): string {
  return decodeEscapes(
    token
      .slice('url('.length, token.endsWith(')') ? -1 : undefined)
      .replace(/^[ \t\n\r\f]+/, '')
      .trimEnd(),
  )
}

/** Returns the value of a quoted string. It may end with the style sheet. */
function decodeString(token: string): string {
  const isClosed = token.length > 1 && token.at(-1) === token[0]
  return decodeEscapes(token.slice(1, isClosed ? -1 : undefined))
}

/**
 * Decodes the escapes of a name or string (CSS Syntax, 4.3.7). The decoder of css-tree joins single characters, which takes a
 * gigabyte for a long data: URL.
 */
function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|\r\n|[\n\r\f]|([\s\S])|$)/gi,
    (_, hex: string | undefined, plain = '') => (hex === undefined ? plain : toCharacter(Number.parseInt(hex, 16))),
  )
}

function toCharacter(code: number): string {
  const isCharacter = code !== 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
