import { type Attribute, findAttribute, type Tag } from './html-scan.ts'

/** Elements that list pages of a site, by the HTML standard, and the roles that say the same of other elements. */
const elements = new Set(['nav', 'header', 'aside', 'menu'])
const roles = new Set(['navigation', 'banner', 'complementary', 'menu', 'menubar', 'tree'])

/**
 * Follows whether a scan of a page is inside its navigation: a `nav`, `header`, `aside` or `menu` element, or an element
 * with the role of one. Broken HTML counts as navigation until the end tag of that element.
 */
export class NavigationTracker {
  readonly #value: (attribute: Attribute) => string
  /** The name of the outermost navigation element, and how many elements of this name are open inside it and with it. */
  #name = ''
  #depth = 0

  /** @param value decodes the value of an attribute. */
  constructor(value: (attribute: Attribute) => string) {
    this.#value = value
  }

  get isInside(): boolean {
    return this.#depth > 0
  }

  tag(tag: Tag): void {
    if (this.#depth > 0) {
      if (tag.name === this.#name) this.#depth += 1
      return
    }
    if (!elements.has(tag.name) && !this.#hasRole(tag)) return
    this.#name = tag.name
    this.#depth = 1
  }

  closeTag(name: string): void {
    if (this.#depth > 0 && name === this.#name) this.#depth -= 1
  }

  #hasRole(tag: Tag): boolean {
    // Most tags have no role, and reading their attributes takes time.
    if (!/\srole\s*=/i.test(tag.source)) return false
    const role = findAttribute(tag, 'role')
    return role !== undefined && roles.has(this.#value(role).trim().toLowerCase())
  }
}
