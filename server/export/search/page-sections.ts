import { decodeHTML } from 'entities'
import { decodeComponent } from '../../base/path-names.ts'
import { type Attribute, findAttribute, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { inlineElements as inline } from '../../web/html/inline-elements.ts'
import { findMainPart, type MainPart, silentRoles } from '../../web/html/main-part.ts'
import { createOpenElements, type OpenElement } from '../../web/html/open-elements.ts'
import { decodeAttribute, decodeRaw, type RawText } from '../../web/html/text-encoding.ts'

/** The content between one heading and the next. */
export interface PageSection {
  /** Fragment of the section's address; empty at the top of the page. */
  anchor: string
  heading: string
  text: string
}

/** The searchable content of a page. */
export interface PageSections {
  /** The first main heading, or else the title. */
  name: string
  title: string
  /** Language tag in lower case without its region, such as `en`; empty when the page names no language. */
  language: string
  /** The first section is the top of the page. Terms of definition lists count as headings when they have an id. */
  sections: PageSection[]
}

const silent = new Set([
  ...['title', 'noscript', 'template', 'textarea', 'select', 'button', 'svg', 'math', 'iframe', 'object', 'dialog'],
  ...['nav', 'aside', 'footer', 'audio', 'video', 'canvas'],
])
const headings = /^h[1-6]$/

/**
 * Reads the content of a page by heading. Reads main or article if present, otherwise everything except menus and similar
 * parts.
 *
 * @param keepsBlocks whether a line of a section's text is a block, such as a paragraph or the item of a list.
 */
export function readPageSections(raw: RawText, keepsBlocks = false): PageSections {
  const place = findMainPart(raw.text)
  const read = readFrom(raw, place, keepsBlocks)
  const isEmpty = read.sections.every(({ heading, text }) => heading === '' && text === '')
  return place && isEmpty ? readFrom(raw, null, keepsBlocks) : read
}

/** Max sections. The last one holds all content after this number of headings. */
const maxSections = 20_000

type Role = 'content' | 'silent' | 'heading' | 'title' | 'plain'
interface Element extends OpenElement {
  role: Role
}

function readFrom({ text, charset }: RawText, place: MainPart | null, keepsBlocks: boolean): PageSections {
  const value = (attribute: Attribute | undefined) =>
    attribute ? decodeAttribute(text.slice(attribute.start, attribute.end), charset) : ''
  const sections = createSectionList(charset, keepsBlocks)
  let language = ''
  let title = ''
  // Number of open elements by role.
  const open: Record<Role, number> = { content: place ? 0 : 1, silent: 0, heading: 0, title: 0, plain: 0 }

  const elements = createOpenElements<Element>(element => {
    open[element.role] -= 1
    if (element.role === 'heading') sections.endHeading()
    else if (!inline.has(element.name)) sections.space()
  })

  function roleOf(tag: Tag): Role {
    if (tag.name === 'title') return title === '' ? 'title' : 'silent'
    // A declarative shadow tree belongs to the page.
    if (silent.has(tag.name) && !(tag.name === 'template' && findAttribute(tag, 'shadowrootmode'))) return 'silent'
    const role = value(findAttribute(tag, 'role')).toLowerCase()
    // On a page without a main or article element, a header is a menu. Inside such an element, a header holds the heading.
    if (silentRoles.test(role) || (tag.name === 'header' && !place)) return 'silent'
    if (place && (tag.name === place.name || role === place.role)) return 'content'
    if (open.content === 0 || open.silent > 0 || open.heading > 0) return 'plain'
    if (sections.isFull()) return 'plain'
    const isTerm = tag.name === 'dt' && findAttribute(tag, 'id') !== undefined
    return headings.test(tag.name) || isTerm ? 'heading' : 'plain'
  }

  scanHtml(text, {
    tag(tag) {
      if (tag.name === 'html') language = value(findAttribute(tag, 'lang')).toLowerCase().split('-')[0] ?? ''
      const role = roleOf(tag)
      const closesItself = text[tag.end - 2] === '/'
      const element = { name: tag.name, start: tag.start, contentStart: tag.end, role }
      if (!inline.has(tag.name)) sections.space()
      if (elements.openTag(element, closesItself)) open[role] += 1
      if (open.silent > 0 || open.content === 0) return
      const id = value(findAttribute(tag, 'id') ?? (tag.name === 'a' ? findAttribute(tag, 'name') : undefined))
      if (role === 'heading') sections.beginHeading(tag.name, id)
      else sections.note(id, tag.name === 'a' ? value(findAttribute(tag, 'href')) : '')
    },
    closeTag(name, start) {
      const close = text.indexOf('>', start)
      elements.closeTag(name, start, close === -1 ? text.length : close + 1)
    },
    text(start, end) {
      if (open.title > 0) title += text.slice(start, end)
      else if (open.silent === 0 && open.content > 0) sections.text(text.slice(start, end))
    },
  })
  elements.finish(text.length)
  const pageTitle = toText(title, charset)
  const { name, list } = sections.finish()
  return { name: name || pageTitle, title: pageTitle, language, sections: list }
}

/** Stands between two blocks of raw text: white space that pages do not have. */
const blockEnd = '\f'

/** Collects raw text by section while a page is read. */
function createSectionList(charset: string, keepsBlocks: boolean) {
  const list: PageSection[] = []
  let name = ''
  let anchor = ''
  let heading = ''
  let parts: string[] = []
  let headingParts: string[] | null = null
  let level = ''
  // The last id without text after it. It becomes the anchor of the next heading if that heading has no id.
  let pendingId = ''
  let anchorBefore = ''

  function endSection() {
    const blocks = keepsBlocks ? parts.join('').split(blockEnd) : [parts.join('')]
    const texts = blocks.map(block => toText(block, charset)).filter(block => block !== '')
    list.push({ anchor, heading, text: texts.join('\n') })
    parts = []
  }

  return {
    beginHeading(tagName: string, id: string) {
      // The main heading names the top of the page. Text before the main heading also belongs to the top.
      if (!(tagName === 'h1' && list.length === 0 && name === '')) endSection()
      level = tagName
      anchor = list.length === 0 ? '' : id
      anchorBefore = list.length === 0 ? '' : pendingId
      heading = ''
      headingParts = []
      pendingId = ''
    },
    endHeading() {
      if (!headingParts) return
      heading = toText(headingParts.join(''), charset)
        .replace(/^[¶#§\s\u200b]+/, '')
        .replace(/(?<![¶#§\s\u200b\ue000-\uf8ff])[¶#§\s\u200b\ue000-\uf8ff]+$/, '')
      if (level === 'h1' && name === '') name = heading
      anchor ||= anchorBefore
      headingParts = null
    },
    /** Uses an id or a link inside a heading as the heading's anchor. */
    note(id: string, href: string) {
      const own = id || (href.startsWith('#') ? (decodeComponent(href.slice(1)) ?? href.slice(1)) : '')
      if (headingParts && anchor === '' && list.length > 0) anchor = own
      else if (id !== '') pendingId = id
    },
    isFull: () => list.length >= maxSections,
    space() {
      ;(headingParts ?? parts).push(blockEnd)
    },
    text(raw: string) {
      ;(headingParts ?? parts).push(raw)
      if (!headingParts && pendingId !== '' && /\S/.test(raw)) pendingId = ''
    },
    finish() {
      endSection()
      return { name, list }
    },
  }
}

function toText(raw: string, charset: string): string {
  return decodeHTML(decodeRaw(raw, charset))
    .replace(/[\s\u200b\ufeff\u00ad]+/g, ' ')
    .trim()
}
