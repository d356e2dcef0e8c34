import { type Attribute, findAttribute, scanHtml, type Tag } from './html-scan.ts'
import { decodeAttribute, decodeRaw, encodeAttribute, encodeRaw } from './text-encoding.ts'

/** An SVG file whose parts other pages show with `<use>`. */
export interface Sprite {
  /**
   * Returns markup with the parts of these ids, and with all parts that they refer to, as ASCII. It may stand in any page:
   * it has no scripts and loads nothing. Ids that cannot be copied are left out.
   *
   * @param rename returns the id that a part has in the markup.
   */
  copy(ids: readonly string[], rename: (id: string) => string): SpriteCopy
}

export interface SpriteCopy {
  markup: string
  /** The ids that were copied, as in the sprite. */
  ids: ReadonlySet<string>
  /** Whether a part needs layout, such as a gradient. Browsers ignore such a part where `display` is `none`. */
  needsLayout: boolean
}

interface Element {
  name: string
  attributes: { name: string; value: string }[]
  children: (Element | string)[]
  id: string | null
}

const shapes = ['path', 'circle', 'rect', 'line', 'polyline', 'polygon', 'ellipse', 'text', 'tspan', 'use']
const groups = ['svg', 'symbol', 'g', 'defs', 'title', 'desc', 'view', 'switch']
const paints = ['lineargradient', 'radialgradient', 'stop', 'clippath', 'mask', 'pattern', 'marker', 'filter']
const needLayout = new Set(paints.filter(name => name !== 'stop'))
const copied = new Set([...shapes, ...groups, ...paints])
/** Elements that draw nothing where a page uses them. */
const silent = new Set(['script', 'metadata'])
/** Elements whose content is text: HTML would read elements in them as HTML. */
const described = new Set(['title', 'desc'])

const maxDepth = 50
/** Max elements of the parts of one copy, counted again for each part that refers to them. */
const maxElements = 20_000

/**
 * Reads an SVG file. Returns null for a file whose parts look different in a page: those of a file with styles, and of a file
 * with entities.
 */
export function readSprite(text: string): Sprite | null {
  if (/<style[\s>/]|<!ENTITY|<\?xml-stylesheet/i.test(text)) return null
  const byId = indexElements(text)
  if (!byId) return null
  return { copy: (ids, rename) => copyParts(byId, ids, rename) }
}

/** Returns the elements with ids, in the order of the file; null for a file that is nested too deeply. */
function indexElements(text: string): Map<string, Element> | null {
  const byId = new Map<string, Element>()
  const open: Element[] = []
  let isTooDeep = false
  scanHtml(text, {
    tag(tag) {
      const element = toElement(tag, text)
      open.at(-1)?.children.push(element)
      if (element.id !== null && !byId.has(element.id)) byId.set(element.id, element)
      if (!tag.source.endsWith('/>')) open.push(element)
      isTooDeep ||= open.length > maxDepth
      if (isTooDeep) open.length = 0
    },
    closeTag(name) {
      const at = open.findLastIndex(element => element.name.toLowerCase() === name)
      if (at !== -1) open.length = at
    },
    text(start, end) {
      const inner = open.at(-1)
      if (inner && /text|tspan|title|desc/.test(inner.name)) inner.children.push(text.slice(start, end))
    },
  })
  return isTooDeep ? null : byId
}

function toElement(tag: Tag, text: string): Element {
  const value = ({ start, end }: Attribute) => decodeAttribute(text.slice(start, end), 'utf-8')
  const id = findAttribute(tag, 'id')
  return {
    name: text.slice(tag.start + 1, tag.nameEnd),
    attributes: tag.attributes.map(attribute => ({ name: nameOf(attribute, text), value: value(attribute) })),
    children: [],
    id: id ? value(id) : null,
  }
}

/** Returns the name with its capital letters. */
function nameOf({ name, nameStart }: Attribute, text: string): string {
  return text.slice(nameStart, nameStart + name.length)
}

function copyParts(
  byId: ReadonlyMap<string, Element>,
  ids: readonly string[],
  rename: (id: string) => string,
): SpriteCopy {
  const parts = new Map<string, Element>()
  const budget = { elements: maxElements }
  for (const id of ids) for (const [own, part] of collect(byId, id, budget) ?? []) parts.set(own, part)
  // A part inside of another part is copied with it.
  const inner = new Set([...parts.values()].flatMap(part => descendants(part).slice(1)))
  const inOrder = [...byId].filter(([id, element]) => parts.get(id) === element && !inner.has(element))
  const all = inOrder.flatMap(([, element]) => descendants(element))
  return {
    markup: inOrder.map(([, element]) => write(element, rename)).join(''),
    ids: new Set(parts.keys()),
    needsLayout: all.some(({ name }) => needLayout.has(name.toLowerCase()) || /^fe[a-z]/i.test(name)),
  }
}

/** Returns a part and the parts that it refers to, by id; null if one of them cannot be copied. */
function collect(
  byId: ReadonlyMap<string, Element>,
  id: string,
  budget: { elements: number },
): Map<string, Element> | null {
  const found = new Map<string, Element>()
  const wanted = [id]
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    const part = byId.get(next)
    if (found.has(next)) continue
    if (!part) {
      if (next === id) return null
      continue
    }
    if (budget.elements <= 0) return null
    found.set(next, part)
    for (const element of [part, ...descendants(part)]) {
      budget.elements -= 1
      if (!isCopied(element) || budget.elements < 0) return null
      for (const { name, value } of element.attributes)
        for (const reference of referencesIn(name, value)) wanted.push(reference)
    }
  }
  return found
}

function isCopied({ name }: Element): boolean {
  return copied.has(name.toLowerCase()) || /^fe[a-z]+$/i.test(name)
}

function isSilent({ name }: Element): boolean {
  return silent.has(name.toLowerCase()) || name.includes(':')
}

/** Lists an element and the elements in it that are copied. */
function descendants(element: Element): Element[] {
  if (isSilent(element)) return []
  const inner = described.has(element.name.toLowerCase()) ? [] : element.children
  return [element, ...inner.flatMap(child => (typeof child === 'string' ? [] : keepOdd(child)))]
}

/** An element that is not known stays in the list, so that its part is not copied. */
function keepOdd(element: Element): Element[] {
  return isCopied(element) ? descendants(element) : isSilent(element) ? [] : [element]
}

function referencesIn(name: string, value: string): string[] {
  if (name === 'href' || name === 'xlink:href') return value.startsWith('#') ? [value.slice(1)] : []
  return [...value.matchAll(localUrl)].map(([, , id = '']) => id)
}

/** Matches each part of a value once: an id has no brackets. */
const localUrl = /url\(\s*(["']?)#([^"'()]*[^"'()\s])\1\s*\)/gi

function write(element: Element, rename: (id: string) => string): string {
  if (!isCopied(element)) return ''
  const { name, children } = element
  const attributes = element.attributes.map(attribute => writeAttribute(attribute, rename)).join('')
  const isText = described.has(name.toLowerCase())
  const content = children.map(child =>
    typeof child === 'string' ? toAscii(child) : isText ? '' : write(child, rename),
  )
  return `<${name}${attributes}>${content.join('')}</${name}>`
}

/** Writes an attribute that loads nothing and runs nothing. Classes would get the styles of the page. */
function writeAttribute({ name, value }: { name: string; value: string }, rename: (id: string) => string): string {
  if (!/^[a-z][\w:-]*$/i.test(name) || /^(?:on|xmlns|class$|xml:base$|src$)/i.test(name)) return ''
  const isLink = /^(?:xlink:)?href$/i.test(name)
  if (isLink && !value.startsWith('#')) return ''
  const named = isLink
    ? `#${rename(value.slice(1))}`
    : name === 'id'
      ? rename(value)
      : value.replace(localUrl, (_all, _quote, id: string) => `url(#${rename(id)})`)
  if (!isLink && /url\(\s*["']?(?!#)/i.test(named)) return ''
  return ` ${name}="${encodeAttribute(named, 'us-ascii')}"`
}

/** Entities stay as they are written. */
function toAscii(raw: string): string {
  return encodeRaw(decodeRaw(raw, 'utf-8'), 'us-ascii', code => `&#${code};`)
}
