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
export function endOfName(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); at < text.length; code = text.charCodeAt(at)) {
    if (code === greater || code === slash || isSpace(code)) break
    at += 1
  }
  return at
}

/** Returns the position after the `>` of a tag whose name ended at `from`, or -1 if the text ends earlier. */
export function endOfAttributes(text: string, from: number): number {
  return text.charCodeAt(from) === greater ? from + 1 : walkAttributes(text, from, null)
}

/** Max attributes compared one by one, which is faster than a set. */
const fewAttributes = 24

/** Returns the first attribute of each name. */
export function readAttributes(text: string, from: number): Attribute[] {
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

const slash = 47
const equals = 61
const greater = 62
const isSpace = (code: number) => code === 32 || code === 10 || code === 9 || code === 13 || code === 12

function walkAttributes(text: string, from: number, onAttribute: OnAttribute | null): number {
  const { length } = text
  let at = from
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
    at = skipSpace(text, at)
    if (text.charCodeAt(at) !== equals) {
      onAttribute?.(nameStart, nameEnd, nameEnd, nameEnd, nameEnd, '')
      at = nameEnd
      continue
    }
    at = skipSpace(text, at + 1)
    code = text.charCodeAt(at)
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
