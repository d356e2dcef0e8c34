import { Tokenizer } from 'htmlparser2'

/** An attribute of an open tag, by offsets into the scanned text. */
export interface Attribute {
  /** In lower case. */
  name: string
  nameStart: number
  /** The raw value without its quotes, entities not decoded. */
  start: number
  end: number
  /** After the closing quote; the name's end when there is no value. */
  outerEnd: number
  quote: '"' | "'" | ''
}

/** An open tag. */
export interface Tag {
  /** In lower case. */
  name: string
  /** Of the `<`. */
  start: number
  nameEnd: number
  /** After the `>`. */
  end: number
  /** The first of each name; HTML ignores the others. */
  attributes: Attribute[]
}

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

/** Up to so many attributes of a tag are compared one by one, which is faster than a set. */
const fewAttributes = 24

const quotes = ['', '', "'", '"'] as const

/**
 * Reads HTML and reports where things stand, so that a caller can replace some bytes and keep all the others.
 * Text is read as latin1 (one character is one byte): tags and quotes are ASCII in every encoding of the web but
 * UTF-16, which is converted before. Never throws; broken HTML is read as a browser's tokenizer would.
 */
export function scanHtml(text: string, handler: HtmlHandler): void {
  let tag: Tag | null = null
  let attribute: Attribute | null = null
  let raw: Tag | null = null
  let manyNames: Set<string> | null = null
  // Inside svg and math, script, style and title are ordinary elements that may close themselves.
  let foreignDepth = 0

  function endTag(end: number, selfClosing: boolean) {
    if (!tag) return
    tag.end = end
    if ((tag.name === 'svg' || tag.name === 'math') && !selfClosing) foreignDepth += 1
    const isRaw = (tag.name === 'script' || tag.name === 'style') && !(selfClosing && foreignDepth > 0)
    handler.tag?.(tag)
    raw = isRaw ? tag : null
    tag = null
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      isInForeignContext: () => foreignDepth > 0,
      onopentagname(start, end) {
        manyNames = null
        tag = { name: text.slice(start, end).toLowerCase(), start: start - 1, nameEnd: end, end, attributes: [] }
      },
      onattribname(start, end) {
        const name = text.slice(start, end).toLowerCase()
        attribute = { name, nameStart: start, start: -1, end, outerEnd: end, quote: '' }
      },
      onattribdata(start, end) {
        if (!attribute) return
        if (attribute.start === -1) attribute.start = start
        attribute.end = end
      },
      onattribentity() {},
      onattribend(quote, end) {
        if (!attribute || !tag) return
        attribute.quote = quotes[quote] ?? ''
        if (attribute.start === -1) attribute.start = attribute.end
        attribute.outerEnd = end
        const { name } = attribute
        if (tag.attributes.length < fewAttributes) {
          if (!tag.attributes.some(other => other.name === name)) tag.attributes.push(attribute)
        } else {
          // A tag with a million attributes is an attack on whoever compares each with all others.
          manyNames ??= new Set(tag.attributes.map(other => other.name))
          if (!manyNames.has(name)) tag.attributes.push(attribute)
          manyNames.add(name)
        }
        attribute = null
      },
      onopentagend: end => endTag(end + 1, false),
      onselfclosingtag: end => endTag(end + 1, true),
      onclosetag(start, end) {
        const name = text.slice(start, end).toLowerCase()
        if (raw && raw.name === name) {
          handler.rawText?.(raw, raw.end, start - 2)
          raw = null
        }
        if ((name === 'svg' || name === 'math') && foreignDepth > 0) foreignDepth -= 1
        handler.closeTag?.(name, start - 2)
      },
      ontext(start, end) {
        if (!raw) handler.text?.(start, end)
      },
      ontextentity() {},
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(text)
  tokenizer.end()
  if (raw) handler.rawText?.(raw, (raw as Tag).end, text.length)
}

/** The attribute of this name, if the tag has it. */
export function findAttribute(tag: Tag, name: string): Attribute | undefined {
  return tag.attributes.find(attribute => attribute.name === name)
}
