import { type Attribute, findAttribute, type Tag } from '../../web/html/html-scan.ts'
import type { Splices } from '../../web/html/splice.ts'
import { decodeAttribute, encodeAttribute } from '../../web/html/text-encoding.ts'

/** What becomes of the addresses in a tag. Null removes the attribute. */
export interface AddressRules {
  /** Returns the id that an element gets. */
  anchor(id: string): string | null
  link(href: string): string | null
  /** Null removes the picture. */
  picture(address: string): string | null
}

const kept = new Set([
  ...['class', 'title', 'lang', 'dir', 'alt', 'width', 'height', 'colspan', 'rowspan', 'scope', 'start', 'value'],
  ...['reversed', 'type', 'datetime', 'align', 'shadowrootmode'],
])

/** Reads the tags of a page, and writes them with the few attributes that a file with many pages needs. */
export function createTagWriter(text: string, rules: AddressRules) {
  const read = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), 'utf-8')
  const value = (tag: Tag, name: string) => {
    const found = findAttribute(tag, name)
    return found ? read(found) : ''
  }

  function changed(tag: Tag, attribute: Attribute, isCode: boolean): string | null {
    const { name } = attribute
    const given = read(attribute)
    if (kept.has(name)) return given
    if (name === 'id') return rules.anchor(given)
    if (name === 'name') return tag.name === 'a' && !findAttribute(tag, 'id') ? rules.anchor(given) : null
    if (name === 'href') return tag.name === 'a' ? rules.link(given) : null
    return name === 'style' ? cleanStyle(given, isCode) : null
  }

  return {
    /** Returns the decoded value of an attribute; empty if there is none. */
    value,
    /** Decides whether the page hides an element. Only one panel of tabs is shown on the page, but all are printed. */
    isHidden(tag: Tag): boolean {
      if (value(tag, 'role') === 'tabpanel' || /tab/i.test(value(tag, 'class'))) return false
      const isHidden = findAttribute(tag, 'hidden') !== undefined || value(tag, 'aria-hidden') === 'true'
      return isHidden || /display:\s*none/.test(value(tag, 'style'))
    },
    write(tag: Tag, isCode: boolean): string {
      const source = tag.name === 'img' ? rules.picture(value(tag, 'src')) : ''
      if (source === null) return ''
      const attributes = tag.attributes.flatMap(attribute => {
        const now = changed(tag, attribute, isCode)
        const written = now === null ? '' : encodeAttribute(now, 'utf-8')
        return now === null ? [] : [` ${attribute.name === 'name' ? 'id' : attribute.name}="${written}"`]
      })
      if (tag.name === 'details') attributes.push(' open=""')
      if (source !== '') attributes.push(` src="${encodeAttribute(source, 'utf-8')}"`)
      return `<${tag.name}${attributes.join('')}>`
    },
    /** Removes the addresses of other files, and handlers, from a tag of a drawing or formula. */
    dropAddresses(tag: Tag, splices: Splices): void {
      for (const attribute of tag.attributes) {
        const isAddress = /^(?:xlink:)?(?:href|src)$/.test(attribute.name) && !/^(?:#|data:)/.test(read(attribute))
        if (isAddress || attribute.name.startsWith('on')) splices.replace(attribute.nameStart, attribute.outerEnd, '')
      }
    },
  }
}

export type TagWriter = ReturnType<typeof createTagWriter>

/** Keeps what a style says about alignment, and in code the colours of a light theme. */
function cleanStyle(style: string, isCode: boolean): string | null {
  const declarations = style.split(';').flatMap(declaration => {
    const [name = '', ...rest] = declaration.split(':')
    const property = name.trim().toLowerCase()
    const value = rest.join(':').trim()
    if (property === 'text-align') return [`text-align:${value}`]
    return isCode && (property === '--shiki-light' || property === 'color') && isDark(value) ? [`color:${value}`] : []
  })
  return declarations.length === 0 ? null : declarations.join(';')
}

/** Whether a colour, such as `#24292e`, can be read on white. */
function isDark(colour: string): boolean {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour)
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)
  const [red = 255, green = 255, blue = 255] = (short ?? long ?? [])
    .slice(1)
    .map(part => Number.parseInt(part + (short ? part : ''), 16))
  return 0.3 * red + 0.59 * green + 0.11 * blue < 150
}
