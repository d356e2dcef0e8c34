import { findAttribute, type HtmlHandler, type Tag } from './html-scan.ts'
import { createOpenElements, hasOptionalEnd, isVoid } from './open-elements.ts'
import { decodeAttribute, type RawText } from './text-encoding.ts'

/** Elements whose content is no text of the page. */
const silent = new Set(['noscript', 'template', 'title', 'textarea', 'select', 'svg', 'math', 'iframe', 'object'])
/** A page that hides all of itself waits for its scripts or for our runtime, and both show it. */
const alwaysShown = new Set(['html', 'head', 'body'])
/** Matches tags that may hide their content by an attribute. */
const mayHide = /[\s"'/](?:hidden|popover|style)[\s=>/]/i
const hidingStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\s*(?:!\s*important\s*)?(?:;|$)/i

/**
 * Returns a handler that receives only what a browser shows without scripts. It skips elements that hide themselves by an
 * attribute: `hidden`, `popover`, closed dialogs, and inline styles. The text of closed `details` counts as shown, because a
 * click opens them without scripts; the text of `inert` elements is shown. A declarative shadow tree belongs to the page.
 * Style sheets are not read: our runtime uncovers content that only they hide.
 */
export function visibleText(raw: RawText, handler: HtmlHandler): HtmlHandler {
  let hidden: HiddenElement | null = null
  return {
    tag(tag) {
      if (hidden?.contains(tag)) return
      hidden = hidesContent(tag, raw) ? createHiddenElement(tag) : null
      handler.tag?.(tag)
    },
    closeTag(name, start) {
      if (!hidden) handler.closeTag?.(name, start)
      else if (hidden.endsAt(name)) {
        // The end tag of an outer element also ends the hidden element.
        if (name !== hidden.name) handler.closeTag?.(name, start)
        hidden = null
      }
    },
    text(start, end) {
      if (!hidden) handler.text?.(start, end)
    },
  }
}

/** Decides by the open tag whether a browser shows nothing of an element. */
function hidesContent(tag: Tag, raw: RawText): boolean {
  if (tag.name === 'template') return !findAttribute(tag, 'shadowrootmode')
  // A slash closes svg and math elements. It is ignored in others of these elements, which nobody writes that way.
  if (silent.has(tag.name)) return raw.text[tag.end - 2] !== '/'
  if (tag.name === 'dialog') return !findAttribute(tag, 'open')
  if (tag.end - tag.nameEnd < 8 || !mayHide.test(tag.source)) return false
  if (alwaysShown.has(tag.name) || isVoid(tag.name)) return false
  if (findAttribute(tag, 'hidden') || findAttribute(tag, 'popover')) return true
  const style = findAttribute(tag, 'style')
  return style !== undefined && hidingStyle.test(decodeAttribute(raw.text.slice(style.start, style.end), raw.charset))
}

/** An open element of which nothing is shown. */
interface HiddenElement {
  name: string
  /** Decides whether a tag opens inside the element. */
  contains(tag: Tag): boolean
  /** Decides whether an end tag ends the element. */
  endsAt(name: string): boolean
}

function createHiddenElement({ name, start, end }: Tag): HiddenElement {
  return hasOptionalEnd(name) ? createOpenEnded(name, start, end) : createClosed(name)
}

/** An element with an end tag: counts the elements of the same name inside. */
function createClosed(name: string): HiddenElement {
  let depth = 1
  return {
    name,
    contains(tag) {
      if (tag.name === name) depth += 1
      return true
    },
    endsAt(other) {
      if (other === name) depth -= 1
      return depth === 0 || other === 'body' || other === 'html'
    },
  }
}

/** An element whose end tag may be missing, such as `li`: follows all elements inside. */
function createOpenEnded(name: string, start: number, end: number): HiddenElement {
  let isOpen = true
  const inside = createOpenElements(element => {
    if (element.start === start) isOpen = false
  })
  inside.openTag({ name, start, contentStart: end }, false)
  return {
    name,
    contains(tag) {
      inside.openTag({ name: tag.name, start: tag.start, contentStart: tag.end }, false)
      return isOpen
    },
    endsAt(other) {
      const isOuter = !inside.isOpen(other)
      inside.closeTag(other, start, end)
      return isOuter || !isOpen
    },
  }
}
