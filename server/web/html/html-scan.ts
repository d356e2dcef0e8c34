// A long file: the rules of the tokenizer, from the parts of a page to the attributes of a tag.
/** An open tag. */
export interface Tag {
  /** In lower case. */
  readonly name: string
  /** Position of the `<`. */
  readonly start: number
  readonly nameEnd: number
  /** Position after the `>`. */
  readonly end: number
  /** The text from `<` to `>`. */
  readonly source: string
  /** Whether the tag has no attributes besides `class` and `id`, as most tags. Such a tag loads, opens and hides nothing. */
  readonly isPlain: boolean
  /**
   * The first attribute of each name, because HTML ignores repeated names. Parsed on first use, because most tags are never
   * inspected.
   */
  readonly attributes: readonly Attribute[]
}

/** Receives the parts of a page in order. Offsets are positions in the text. */
export interface HtmlHandler {
  tag?(tag: Tag): void
  closeTag?(name: string, start: number): void
  /** A comment, a declaration, or other markup without content. */
  comment?(start: number, end: number): void
  /** Text outside script and style, with entities not decoded. One text may be reported in several pieces. */
  text?(start: number, end: number): void
  /** The whole content of a script or style element. `tag` is the open tag of the element. */
  rawText?(tag: Tag, start: number, end: number): void
}

/** Combines several handlers, to scan a page once for all of them. */
export function inTurn(...handlers: readonly HtmlHandler[]): HtmlHandler {
  return {
    tag(tag) {
      for (const handler of handlers) handler.tag?.(tag)
    },
    closeTag(name, start) {
      for (const handler of handlers) handler.closeTag?.(name, start)
    },
    comment(start, end) {
      for (const handler of handlers) handler.comment?.(start, end)
    },
    text(start, end) {
      for (const handler of handlers) handler.text?.(start, end)
    },
    rawText(tag, start, end) {
      for (const handler of handlers) handler.rawText?.(tag, start, end)
    },
  }
}

/** Elements whose content is only text, until their end tag. */
const textOnly = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'])

const endTags = new Map([...textOnly].map(name => [name, new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi')] as const))

const exclamation = 33
const slash = 47
const question = 63
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

/**
 * Reads HTML and reports the positions of its parts, which lets a caller replace some bytes and keep all others. Text is
 * read as latin1 (one character is one byte): tags and quotes are ASCII in every encoding of the web except UTF-16, which
 * is converted first. Never throws. Broken HTML is read as by a browser's tokenizer
 * (https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
 */
export function scanHtml(text: string, handler: HtmlHandler): void {
  new HtmlScanner(text, handler).scan()
}

class HtmlScanner {
  readonly #text: string
  readonly #handler: HtmlHandler
  /**
   * Nesting depth of svg and math elements. Inside them, script, style and title are ordinary elements that may be
   * self-closing.
   */
  #foreignDepth = 0
  /** The open script or style element of an svg. */
  #foreignRaw: Tag | null = null

  constructor(text: string, handler: HtmlHandler) {
    this.#text = text
    this.#handler = handler
  }

  scan(): void {
    const text = this.#text
    const { length } = text
    let at = 0
    let textStart = 0
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
      this.#reportText(textStart, start)
      if (isTag) at = isClose ? this.#closeTag(start) : this.#openTag(start)
      else {
        at = endOfMarkup(text, start, this.#foreignDepth > 0)
        this.#handler.comment?.(start, at)
      }
      textStart = at
    }
    this.#reportText(textStart, length)
    if (this.#foreignRaw) this.#handler.rawText?.(this.#foreignRaw, this.#foreignRaw.end, length)
  }

  #reportText(start: number, end: number): void {
    if (end > start && !this.#foreignRaw) this.#handler.text?.(start, end)
  }

  /** Returns the position after the tag or element. */
  #openTag(start: number): number {
    const text = this.#text
    const tag = readTag(text, start)
    if (!tag) return text.length
    const { name, end } = tag
    const isForeign = this.#foreignDepth > 0
    const closesItself = text.charCodeAt(end - 2) === slash && closes(tag)
    if ((name === 'svg' || name === 'math') && !closesItself) this.#foreignDepth += 1
    this.#handler.tag?.(tag)
    if (isForeign) {
      this.#foreignRaw = (name === 'script' || name === 'style') && !closesItself ? tag : null
      return end
    }
    if (name === 'plaintext') {
      this.#reportText(end, text.length)
      return text.length
    }
    return textOnly.has(name) ? this.#readTextContent(tag) : end
  }

  /** Reads an element whose content has no tags. Returns the position of its end tag. */
  #readTextContent(tag: Tag): number {
    const { name, end } = tag
    const contentEnd = name === 'script' ? findScriptEnd(this.#text, end) : findEndTag(this.#text, name, end)
    if (name === 'script' || name === 'style') this.#handler.rawText?.(tag, end, contentEnd)
    else this.#reportText(end, contentEnd)
    return contentEnd
  }

  /** Returns the position after the tag. */
  #closeTag(start: number): number {
    const text = this.#text
    const nameEnd = endOfName(text, start + 2)
    const end = endOfAttributes(text, nameEnd)
    if (end === -1) return text.length
    const handler = this.#handler
    if (!handler.closeTag && this.#foreignDepth === 0) return end
    const name = text.slice(start + 2, nameEnd).toLowerCase()
    if (this.#foreignRaw?.name === name) {
      this.#handler.rawText?.(this.#foreignRaw, this.#foreignRaw.end, start)
      this.#foreignRaw = null
    }
    if ((name === 'svg' || name === 'math') && this.#foreignDepth > 0) this.#foreignDepth -= 1
    handler.closeTag?.(name, start)
    return end
  }
}

class OpenTag implements Tag {
  readonly name: string
  readonly start: number
  readonly nameEnd: number
  readonly end: number
  readonly isPlain: boolean
  readonly #text: string
  #source: string | null = null
  #attributes: Attribute[] | null = null

  constructor(text: string, start: number, nameEnd: number, end: number, isPlain: boolean) {
    this.#text = text
    this.name = text.slice(start + 1, nameEnd).toLowerCase()
    this.start = start
    this.nameEnd = nameEnd
    this.end = end
    this.isPlain = isPlain
  }

  get source(): string {
    this.#source ??= this.#text.slice(this.start, this.end)
    return this.#source
  }

  get attributes(): readonly Attribute[] {
    this.#attributes ??= readAttributes(this.#text, this.nameEnd)
    return this.#attributes
  }
}

/** Reads a tag. Returns null if the text ends inside it, because it is then not a tag. */
function readTag(text: string, start: number): Tag | null {
  const nameEnd = endOfName(text, start + 2)
  if (text.charCodeAt(nameEnd) === greater) return new OpenTag(text, start, nameEnd, nameEnd + 1, true)
  const end = walkAttributes(text, nameEnd, null)
  return end === -1 ? null : new OpenTag(text, start, nameEnd, end, wasPlain)
}

function isClassOrId(text: string, start: number, end: number): boolean {
  const length = end - start
  if (length === 2) return text.charCodeAt(start) === 105 && text.charCodeAt(start + 1) === 100
  return length === 5 && text.charCodeAt(start) === 99 && text.startsWith('class', start)
}

/** Decides whether the slash before the `>` closes the tag and is not the end of an unquoted value. */
function closes({ attributes, end }: Tag): boolean {
  return (attributes.at(-1)?.outerEnd ?? 0) < end - 1
}

/** Returns the end of a comment, a declaration, or other markup that a browser treats as a comment. */
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

/** Returns the start of the end tag of this name, or the end of the text if there is none. */
function findEndTag(text: string, name: string, from: number): number {
  const pattern = endTags.get(name)
  if (!pattern) return from
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** Returns the start of the end tag of a script. After `<!-- <script>`, the next end tag is part of the text. */
function findScriptEnd(text: string, from: number): number {
  const pattern = /<!--|-->|<(\/?)script(?=[\t\n\f\r />])/gi
  pattern.lastIndex = from
  let state: 'plain' | 'escaped' | 'twice' = 'plain'
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (match[0] === '-->') state = 'plain'
    else if (match[0] === '<!--') {
      if (state === 'plain') state = 'escaped'
      // These dashes may also belong to the end of the comment.
      pattern.lastIndex -= 2
    } else if (match[1] === '') {
      if (state === 'escaped') state = 'twice'
    } else if (state === 'twice') state = 'escaped'
    else return match.index
  }
  return text.length
}

/** An attribute of an open tag. Positions are offsets into the scanned text. */
export interface Attribute {
  /** In lower case. */
  name: string
  nameStart: number
  /** The raw value without its quotes. Entities are not decoded. */
  start: number
  end: number
  /** After the closing quote, or the end of the name if there is no value. */
  outerEnd: number
  quote: '"' | "'" | ''
}

/** Returns the tag's attribute of this name, if it exists. */
export function findAttribute(tag: { readonly attributes: readonly Attribute[] }, name: string): Attribute | undefined {
  for (const attribute of tag.attributes) if (attribute.name === name) return attribute
  return undefined
}

/** Returns the end of the tag name at this position. */
function endOfName(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); at < text.length; code = text.charCodeAt(at)) {
    if (code === greater || code === slash || isSpace(code)) break
    at += 1
  }
  return at
}

/** Returns the position after the `>` of a tag whose name ended at `from`, or -1 if the text ends earlier. */
function endOfAttributes(text: string, from: number): number {
  return text.charCodeAt(from) === greater ? from + 1 : walkAttributes(text, from, null)
}

/** Max attributes compared one by one, which is faster than a set. */
const fewAttributes = 24

/** Returns the first attribute of each name. */
function readAttributes(text: string, from: number): Attribute[] {
  const attributes: Attribute[] = []
  let names: Set<string> | null = null
  walkAttributes(text, from, (nameStart, nameEnd, start, end, outerEnd, quote) => {
    const name = text.slice(nameStart, nameEnd).toLowerCase()
    if (attributes.length < fewAttributes) {
      for (const other of attributes) if (other.name === name) return
    } else {
      // Without a set, a tag with a million attributes would take quadratic time.
      names ??= new Set(attributes.map(other => other.name))
      if (names.has(name)) return
      names.add(name)
    }
    attributes.push({ name, nameStart, start, end, outerEnd, quote })
  })
  return attributes
}

type OnAttribute = (
  nameStart: number,
  nameEnd: number,
  start: number,
  end: number,
  outerEnd: number,
  quote: Attribute['quote'],
) => void

const equals = 61
const greater = 62
const isSpace = (code: number) => code === 32 || code === 10 || code === 9 || code === 13 || code === 12

/** Whether the tag that was walked last had only classes and ids. A variable, because a result of two parts takes time. */
let wasPlain = true

/** Returns the position after the `>` of the tag, or -1 if the text ends earlier. */
function walkAttributes(text: string, from: number, onAttribute: OnAttribute | null): number {
  const { length } = text
  let at = from
  wasPlain = true
  while (at < length) {
    let code = text.charCodeAt(at)
    if (code === greater) return at + 1
    if (code === slash || isSpace(code)) {
      at += 1
      continue
    }
    const nameStart = at
    // An equals sign at the start belongs to the name.
    do {
      at += 1
      code = text.charCodeAt(at)
    } while (at < length && code !== equals && code !== greater && code !== slash && !isSpace(code))
    const nameEnd = at
    wasPlain &&= isClassOrId(text, nameStart, nameEnd)
    if (isSpace(code)) {
      at = skipSpace(text, at)
      code = text.charCodeAt(at)
    }
    if (code !== equals) {
      onAttribute?.(nameStart, nameEnd, nameEnd, nameEnd, nameEnd, '')
      at = nameEnd
      continue
    }
    at += 1
    code = text.charCodeAt(at)
    if (isSpace(code)) {
      at = skipSpace(text, at)
      code = text.charCodeAt(at)
    }
    const quote = code === 34 ? '"' : code === 39 ? "'" : ''
    const start = quote === '' ? at : at + 1
    const end = quote === '' ? endOfBareValue(text, at) : text.indexOf(quote, start)
    if (end === -1) return -1
    at = quote === '' ? end : end + 1
    onAttribute?.(nameStart, nameEnd, start, end, at, quote)
  }
  return -1
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

function endOfBareValue(text: string, from: number): number {
  let at = from
  for (
    let code = text.charCodeAt(at);
    at < text.length && code !== greater && !isSpace(code);
    code = text.charCodeAt(at)
  )
    at += 1
  return at
}
