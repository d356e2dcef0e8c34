import { type Attribute, findAttribute, type Tag } from '../../web/html/html-scan.ts'
import type { Splices } from '../../web/html/splice.ts'
import { decodeAttribute, encodeAttribute, type RawText } from '../../web/html/text-encoding.ts'

/** Reads and changes the attributes of one page. */
export interface AttributeEditor {
  /** Returns the decoded value. */
  value(attribute: Attribute): string
  write(attribute: Attribute, newValue: string): void
  /** Renames the attribute. The address stays readable, but browsers no longer load it. */
  disable(attribute: Attribute, why: 'dead' | 'missing' | 'removed'): void
  remove(attribute: Attribute | undefined): void
  /** Adds the class that shows readers that a link is dead. */
  markDead(tag: Tag): void
}

export function createAttributeEditor({ text, charset }: RawText, splices: Splices): AttributeEditor {
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)

  function write(attribute: Attribute, newValue: string) {
    const quoted = `"${encodeAttribute(newValue, charset)}"`
    const before = attribute.quote === '' ? 0 : 1
    splices.replace(attribute.start - before, attribute.outerEnd, quoted)
  }

  return {
    value,
    write,
    disable(attribute, why) {
      const disabled = `data-quire-${why}="${encodeAttribute(value(attribute), charset)}"`
      splices.replace(attribute.nameStart, attribute.outerEnd, disabled)
    },
    remove(attribute) {
      if (!attribute) return
      const before = /\s/.test(text.charAt(attribute.nameStart - 1)) ? 1 : 0
      splices.replace(attribute.nameStart - before, attribute.outerEnd, '')
    },
    markDead(tag) {
      const classes = findAttribute(tag, 'class')
      if (!classes) splices.replace(tag.nameEnd, tag.nameEnd, ' class="quire-dead"')
      else if (classes.quote === '') write(classes, `${value(classes)} quire-dead`)
      else splices.replace(classes.end, classes.end, ' quire-dead')
    },
  }
}
