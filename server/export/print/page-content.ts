import { scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { findMainPart, type MainPart, silentRoles } from '../../web/html/main-part.ts'
import { createOpenElements, hasOptionalEnd, type OpenElement } from '../../web/html/open-elements.ts'
import { createSplices } from '../../web/html/splice.ts'
import { type AddressRules, createTagWriter, type TagWriter } from './tag-writer.ts'

/** What becomes of the addresses of a page. */
export interface ContentRules extends AddressRules {
  /**
   * Told of the links around the content.
   *
   * @param rel what the link says about its page, such as next
   */
  around?(href: string, rel: string): void
}

/** Elements that a printed page cannot use. `aside` is content, unless its class names a menu. */
const dropped = new Set([
  ...['head', 'nav', 'footer', 'script', 'style', 'noscript', 'template', 'title', 'link', 'meta', 'base', 'source'],
  ...['button', 'input', 'select', 'textarea', 'dialog', 'iframe', 'object', 'embed', 'audio', 'video', 'canvas'],
])
/** Tags around the content of a page without a main or article element. */
const unwrapped = new Set(['html', 'body', 'form', 'main'])
/** Classes of what common generators add around the text: links to headings, buttons, menus, and what only dark themes show. */
const droppedClass =
  /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchorjs-link|sr-only|visually-hidden|screen-reader-text|VPDocFooter|theme-doc-footer|edit-(?:this-)?page|pagination[\w-]*|prev-next[\w-]*|breadcrumbs?|copy(?:-?btn|-?button)?|toc|table-of-contents|related|(?:sphinx|theme-doc-)?sidebar(?:-container)?|only-dark|dark-only|theme-doc-toc[\w-]*|tableOfContents[\w-]*|themedComponent--dark[\w-]*)(?=\s|$)/i
interface Element extends OpenElement {
  role: 'content' | 'dropped' | 'tab' | 'plain'
  id: string
}

/**
 * Returns the content of a page as markup for a file with many pages: well-formed, without scripts, forms and menus, and with
 * few attributes. Drawings and formulas stay as they are.
 *
 * @param text in UTF-8, read as latin1; so is the result.
 */
export function rewriteContent(text: string, rules: ContentRules): string {
  const found = findMainPart(text)
  const content = found ? rewriteFrom(text, rules, found) : ''
  return /[^\s]/.test(content.replaceAll(/<[^<>]*>/g, '')) ? content : rewriteFrom(text, rules, null)
}

type Role = Element['role']

function rewriteFrom(text: string, rules: ContentRules, place: MainPart | null): string {
  const splices = createSplices(text)
  const ranges: [start: number, end: number][] = place ? [] : [[0, text.length]]
  const open: Record<Role, number> = { content: place ? 0 : 1, dropped: 0, tab: 0, plain: 0 }
  const isInside = () => open.content > 0 && open.dropped === 0
  const writer = createTagWriter(text, rules)
  const panels = createPanelNames(text, writer)
  const elements = createOpenElements<Element>((element, end, ending) => {
    open[element.role] -= 1
    const { name, role, start } = element
    const contentEnd = ending === 'tag' ? text.lastIndexOf('</', end - 1) : end
    if (role === 'content') ranges.push([element.contentStart, contentEnd])
    else if (open.content === 0) return
    else if (role === 'dropped' || role === 'tab') splices.replace(start, end, '')
    else if (unwrapped.has(name)) splices.replace(contentEnd, end, '')
    else if (ending !== 'tag' && !hasOptionalEnd(name) && open.dropped === 0) splices.replace(end, end, `</${name}>`)
    if (role === 'tab') panels.add(element, end)
  })
  const isForeign = () => elements.isOpen('svg') || elements.isOpen('math')

  scanHtml(text, {
    tag(tag) {
      if (tag.name === 'a' || tag.name === 'link') tellAround(tag, writer, isInside(), rules)
      const isDrawing = isForeign()
      const role = isDrawing && tag.name !== 'script' ? 'plain' : roleOf(tag, writer, place, open.content > 0)
      const element = { name: tag.name, start: tag.start, contentStart: tag.end, role, id: writer.value(tag, 'id') }
      if (elements.openTag(element, text[tag.end - 2] === '/')) open[role] += 1
      else if (role === 'dropped' && isInside()) splices.replace(tag.start, tag.end, '')
      if (role !== 'plain' || !isInside()) return
      if (isDrawing || tag.name === 'svg' || tag.name === 'math') writer.dropAddresses(tag, splices)
      else if (unwrapped.has(tag.name)) splices.replace(tag.start, tag.end, '')
      else splices.replace(tag.start, tag.end, writer.write(tag, elements.isOpen('pre')) + panels.nameOf(tag))
    },
    closeTag(name, start) {
      const close = text.indexOf('>', start)
      const end = close === -1 ? text.length : close + 1
      if (!elements.isOpen(name) && isInside()) splices.replace(start, end, '')
      elements.closeTag(name, start, end)
    },
    comment(start, end) {
      if (isInside()) splices.replace(start, end, '')
    },
  })
  elements.finish(text.length)
  let from = 0
  for (const [start, end] of [...ranges, [text.length, text.length] as const]) {
    splices.replace(from, start, '')
    from = end
  }
  return splices.apply()
}

function roleOf(tag: Tag, { value, isHidden }: TagWriter, place: MainPart | null, isContent: boolean): Role {
  const role = value(tag, 'role').toLowerCase()
  if (!isContent) return place && (tag.name === place.name || role === place.role) ? 'content' : 'plain'
  if (role === 'tab') return 'tab'
  const isMenu = (tag.name === 'header' && !place) || (tag.name !== 'aside' && silentRoles.test(role))
  const isDropped = dropped.has(tag.name) && value(tag, 'shadowrootmode') === ''
  return isDropped || isMenu || droppedClass.test(value(tag, 'class')) || isHidden(tag) ? 'dropped' : 'plain'
}

function tellAround(tag: Tag, { value }: TagWriter, isInside: boolean, rules: ContentRules): void {
  const href = value(tag, 'href')
  const rel = value(tag, 'rel')
  const isAround = !isInside || /\bnext\b/.test(rel)
  if (href !== '' && isAround) rules.around?.(href, tag.name === 'link' ? `link ${rel}` : rel)
}

/** The panels of tabs follow each other, each under the name of its tab. */
function createPanelNames(text: string, { value }: TagWriter) {
  /** Tabs whose panels have not come yet. */
  const tabs: { id: string; name: string }[] = []
  return {
    add({ id, start }: Element, end: number) {
      const name = text.slice(start, end).replaceAll(/<[^<>]*>/g, '')
      tabs.push({ id, name: name.trim() })
    },
    nameOf(tag: Tag): string {
      if (value(tag, 'role') !== 'tabpanel') return ''
      const id = value(tag, 'aria-labelledby')
      const at = tabs.findIndex(tab => tab.id !== '' && tab.id === id)
      const [tab] = tabs.splice(Math.max(0, at), 1)
      return tab ? `<p class="quire-tab">${tab.name}</p>` : ''
    },
  }
}
