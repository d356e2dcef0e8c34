import { OperatorError } from '../../base/operator-error.ts'

/** A selector that matches one element by its open tag, without combinators, pseudo-classes or lists. */
export interface Selector {
  /** Tag name in lower case; null = any. */
  tag: string | null
  id: string | null
  classes: string[]
  /** `value` null = the tag has the attribute with any value. */
  attributes: { name: string; value: string | null }[]
}

/** An element to match against a selector. */
export interface ElementView {
  name: string
  /** Returns the decoded value of an attribute, or undefined if the tag does not have it. */
  attribute(name: string): string | undefined
}

const name = String.raw`-?[A-Za-z_][\w-]*`
const partPattern = new RegExp(
  `([#.])(${name})|\\[\\s*([A-Za-z_][\\w:.-]*)\\s*(?:=\\s*(?:"([^"\\]]*)"|'([^'\\]]*)'|([\\w./:@-]+))\\s*)?\\]`,
  'y',
)
/** Max length of a class attribute whose selectors are cached. */
const maxCachedLength = 1000
const tagPattern = /[A-Za-z][\w-]*/y
/** Elements that are never removed, because every page needs them. */
const kept = new Set(['html', 'head', 'body'])

/**
 * Reads a selector of one element: tag, custom-element, #id, .class, [attr], [attr=value], or a combination without spaces,
 * such as `button.search[type=button]`.
 *
 * @throws {OperatorError} for all other selectors, with the allowed syntax.
 */
export function parseSelector(text: string): Selector {
  const refuse = (why: string): never => {
    throw new OperatorError(
      `${JSON.stringify(text)} ${why}. A selector names one element by tag, custom-element, #id, .class, [attr] or [attr=value], or combined without spaces: button.search`,
    )
  }
  const source = text.trim()
  if (source === '') refuse('is empty')
  if (source.length > 200) refuse('is longer than 200 characters')
  const selector: Selector = { tag: null, id: null, classes: [], attributes: [] }
  tagPattern.lastIndex = 0
  const tag = tagPattern.exec(source)?.[0]
  let at = tag?.length ?? 0
  if (tag) selector.tag = tag.toLowerCase()
  while (at < source.length) {
    partPattern.lastIndex = at
    const match = partPattern.exec(source)
    if (!match) return refuse(`cannot be read at ${JSON.stringify(source.slice(at, at + 20))}`)
    const [whole, sign, word, attribute, double, single, bare] = match
    if (sign === '#' && selector.id !== null) refuse('has two ids')
    if (sign === '#') selector.id = word ?? ''
    else if (sign === '.') selector.classes.push(word ?? '')
    else selector.attributes.push({ name: (attribute ?? '').toLowerCase(), value: double ?? single ?? bare ?? null })
    at += whole.length
  }
  if (selector.tag && kept.has(selector.tag)) refuse('would remove the whole page')
  return selector
}

/** Decides whether the selector matches an open tag. */
export function matchesSelector(selector: Selector, element: ElementView): boolean {
  if (kept.has(element.name)) return false
  if (selector.tag !== null && selector.tag !== element.name) return false
  if (selector.id !== null && element.attribute('id') !== selector.id) return false
  const classes = selector.classes.length > 0 ? (element.attribute('class') ?? '') : ''
  if (!selector.classes.every(one => hasWord(classes, one))) return false
  return selector.attributes.every(({ name, value }) => {
    const own = element.attribute(name)
    return own !== undefined && (value === null || own === value)
  })
}

/** Decides whether a list separated by white space has a word. */
function hasWord(list: string, word: string): boolean {
  for (let at = list.indexOf(word); at !== -1; at = list.indexOf(word, at + word.length))
    if (!/\S/.test(list.charAt(at - 1) + list.charAt(at + word.length))) return true
  return false
}

/**
 * Creates an index that finds the selectors that match an open tag without trying all of them. One or two look-ups suffice
 * for most tags.
 */
export function createSelectorIndex<T>(entries: readonly { selector: Selector; of: T }[]) {
  type Entry = { selector: Selector; of: T }
  const ids = new Map<string, Entry[]>()
  const classes = new Map<string, Entry[]>()
  const attributes = new Map<string, Entry[]>()
  const tags = new Map<string, Entry[]>()
  const none: Entry[] = []
  // Caches by class value, because pages repeat the same values many times.
  const byClassValue = new Map<string, Entry[]>()
  const put = (map: Map<string, Entry[]>, key: string, entry: Entry) => map.set(key, [...(map.get(key) ?? []), entry])
  for (const entry of entries) {
    const { selector } = entry
    if (selector.id !== null) put(ids, selector.id, entry)
    else if (selector.classes[0] !== undefined) put(classes, selector.classes[0], entry)
    else if (selector.attributes[0]) put(attributes, selector.attributes[0].name, entry)
    else put(tags, selector.tag ?? '', entry)
  }

  function ofClasses(value: string): Entry[] {
    const known = byClassValue.get(value)
    if (known) return known
    const found = [...new Set(value.split(/\s+/))].flatMap(one => classes.get(one) ?? none)
    if (byClassValue.size < 10_000 && value.length < maxCachedLength)
      byClassValue.set(value, found.length === 0 ? none : found)
    return found
  }

  return {
    /** @param names the attributes of the tag. */
    find(element: ElementView, names: readonly { name: string }[]): T[] {
      let candidates = tags.get(element.name) ?? none
      for (const { name } of names) {
        const more =
          name === 'class'
            ? ofClasses(element.attribute('class') ?? '')
            : name === 'id'
              ? ids.get(element.attribute('id') ?? '')
              : undefined
        const named = attributes.get(name)
        if (more && more.length > 0) candidates = [...candidates, ...more]
        if (named) candidates = [...candidates, ...named]
      }
      if (candidates.length === 0) return []
      return candidates.flatMap(({ selector, of }) => (matchesSelector(selector, element) ? [of] : []))
    },
  }
}
