import { type Attribute, endOfAttributes, endOfName, readAttributes } from './html-attributes.ts'

export { type Attribute, findAttribute } from './html-attributes.ts'

/** An open tag. */
export interface Tag {
  /** In lower case. */
  readonly name: string
  /** Of the `<`. */
  readonly start: number
  readonly nameEnd: number
  /** After the `>`. */
  readonly end: number
  /** As it stands in the text, from `<` to `>`. */
  readonly source: string
  /** The first of each name; HTML ignores the others. Read when it is asked for: most tags are of no interest. */
  readonly attributes: readonly Attribute[]
}

/** Hears what a page holds, in its order; offsets are of the text. */
export interface HtmlHandler {
  tag?(tag: Tag): void
  closeTag?(name: string, start: number): void
  /** Text outside of script and style, entities not decoded; may come in pieces. */
  text?(start: number, end: number): void
  /** The whole content of a script or style element; `tag` is its open tag. */
  rawText?(tag: Tag, start: number, end: number): void
}

/** One handler of several, so that a page is read once for all of them. */
export function inTurn(...handlers: readonly HtmlHandler[]): HtmlHandler {
  return {
    tag(tag) {
      for (const handler of handlers) handler.tag?.(tag)
    },
    closeTag(name, start) {
      for (const handler of handlers) handler.closeTag?.(name, start)
    },
    text(start, end) {
      for (const handler of handlers) handler.text?.(start, end)
    },
    rawText(tag, start, end) {
      for (const handler of handlers) handler.rawText?.(tag, start, end)
    },
  }
}

/** Elements whose content holds no tags, only text up to their own end tag. */
const textOnly = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'])

/**
 * Reads HTML and reports where things stand, so that a caller can replace some bytes and keep all the others.
 * Text is read as latin1 (one character is one byte): tags and quotes are ASCII in every encoding of the web but
 * UTF-16, which is converted before. Never throws; broken HTML is read as a browser's tokenizer would
 * (https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
 */
export function scanHtml(text: string, handler: HtmlHandler): void {
  const { length } = text
  // Inside svg and math, script, style and title are ordinary elements that may close themselves.
  let foreignDepth = 0
  let foreignRaw: Tag | null = null
  let at = 0
  let textStart = 0

  function reportText(start: number, end: number): number {
    if (end > start && !foreignRaw) handler.text?.(start, end)
    return end
  }

  /** Gives where to go on. */
  function openTag(start: number): number {
    const tag = readTag(text, start)
    if (!tag) return length
    const { name, end } = tag
    const isForeign = foreignDepth > 0
    const closesItself = text.charCodeAt(end - 2) === slash && closes(tag)
    if ((name === 'svg' || name === 'math') && !closesItself) foreignDepth += 1
    handler.tag?.(tag)
    const isRaw = name === 'script' || name === 'style'
    if (isForeign) {
      foreignRaw = isRaw && !closesItself ? tag : null
      return end
    }
    if (name === 'plaintext') return reportText(end, length)
    if (!textOnly.has(name)) return end
    const contentEnd = name === 'script' ? findScriptEnd(text, end) : findEndTag(text, name, end)
    if (!isRaw) return reportText(end, contentEnd)
    handler.rawText?.(tag, end, contentEnd)
    return contentEnd
  }

  function closeTag(start: number): number {
    const nameEnd = endOfName(text, start + 2)
    const end = endOfAttributes(text, nameEnd)
    if (end === -1) return length
    const name = text.slice(start + 2, nameEnd).toLowerCase()
    if (foreignRaw?.name === name) {
      handler.rawText?.(foreignRaw, foreignRaw.end, start)
      foreignRaw = null
    }
    if ((name === 'svg' || name === 'math') && foreignDepth > 0) foreignDepth -= 1
    handler.closeTag?.(name, start)
    return end
  }

  while (at < length) {
    const start = text.indexOf('<', at)
    if (start === -1) break
    const next = text.charCodeAt(start + 1)
    const isClose = next === slash
    const isTag = isLetter(isClose ? text.charCodeAt(start + 2) : next)
    const isMarkup = next === exclamation || next === question || (isClose && start + 2 < length)
    if (!isTag && !isMarkup) {
      at = start + 1
      continue
    }
    reportText(textStart, start)
    if (!isTag) at = endOfMarkup(text, start, foreignDepth > 0)
    else at = isClose ? closeTag(start) : openTag(start)
    textStart = at
  }
  reportText(textStart, length)
  if (foreignRaw) handler.rawText?.(foreignRaw, (foreignRaw as Tag).end, length)
}

const exclamation = 33
const slash = 47
const question = 63
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

class OpenTag implements Tag {
  readonly name: string
  readonly start: number
  readonly nameEnd: number
  readonly end: number
  readonly #text: string
  #attributes: Attribute[] | null = null

  constructor(text: string, start: number, nameEnd: number, end: number) {
    this.#text = text
    this.name = text.slice(start + 1, nameEnd).toLowerCase()
    this.start = start
    this.nameEnd = nameEnd
    this.end = end
  }

  get source(): string {
    return this.#text.slice(this.start, this.end)
  }

  get attributes(): readonly Attribute[] {
    this.#attributes ??= readAttributes(this.#text, this.nameEnd)
    return this.#attributes
  }
}

/** Null when the text ends in the tag: then it is none. */
function readTag(text: string, start: number): Tag | null {
  const nameEnd = endOfName(text, start + 2)
  const end = endOfAttributes(text, nameEnd)
  return end === -1 ? null : new OpenTag(text, start, nameEnd, end)
}

/** Whether the slash before the `>` is its own and not the end of a bare value. */
function closes({ attributes, end }: Tag): boolean {
  return (attributes.at(-1)?.outerEnd ?? 0) < end - 1
}

/** The end of a comment, a declaration, or what a browser takes for a comment. */
function endOfMarkup(text: string, start: number, isForeign: boolean): number {
  if (!text.startsWith('<!--', start)) {
    const close = isForeign && text.startsWith('<![CDATA[', start) ? ']]>' : '>'
    const end = text.indexOf(close, start + 2)
    return end === -1 ? text.length : end + close.length
  }
  if (text.startsWith('>', start + 4)) return start + 5
  if (text.startsWith('->', start + 4)) return start + 6
  for (let at = text.indexOf('--', start + 4); at !== -1; at = text.indexOf('--', at + 1)) {
    if (text.startsWith('>', at + 2)) return at + 3
    if (text.startsWith('!>', at + 2)) return at + 4
  }
  return text.length
}

const endTags = new Map([...textOnly].map(name => [name, new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi')] as const))

/** Where the end tag of this name begins; the end of the text when it never does. */
function findEndTag(text: string, name: string, from: number): number {
  const pattern = endTags.get(name)
  if (!pattern) return from
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** The same for a script, where `<!-- <script>` makes the next end tag a part of the text. */
function findScriptEnd(text: string, from: number): number {
  const pattern = /<!--|-->|<(\/?)script(?=[\t\n\f\r />])/gi
  pattern.lastIndex = from
  let state: 'plain' | 'escaped' | 'twice' = 'plain'
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (match[0] === '-->') state = 'plain'
    else if (match[0] === '<!--') {
      if (state === 'plain') state = 'escaped'
      // Its dashes may be those of the end, too.
      pattern.lastIndex -= 2
    } else if (match[1] === '') {
      if (state === 'escaped') state = 'twice'
    } else if (state === 'twice') state = 'escaped'
    else return match.index
  }
  return text.length
}
