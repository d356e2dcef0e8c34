import { decodeHTML, decodeHTMLAttribute } from 'entities'
import { findAttribute, scanHtml, type Tag } from '../html/html-scan.ts'
import { findMainPart, type MainPart, silentRoles } from '../html/main-part.ts'
import { createOpenElements, type OpenElement } from '../html/open-elements.ts'

/** An element of the content of a page, or a text with its entities decoded. */
export type PageNode = PageElement | string

const nothing: PageNode[] = []
/** Deeper elements end where they begin: no page nests so deeply that a reader would follow. */
const maxDepth = 200

/** An element of a page. Only what is written as Markdown is read of it. */
export class PageElement implements OpenElement {
  readonly name: string
  readonly start: number
  readonly contentStart: number
  /** null = it is the content itself, or no part of it. */
  parent: PageElement | null = null
  children = nothing
  depth = 0
  /** Whether it is, or contains, an element that begins a new line. */
  hasBlock = false
  /** Whether it is the element that holds the content, or is left out, or neither. */
  use: 'content' | 'skipped' | 'part' = 'part'
  readonly #tag: Tag | null
  readonly #text: string
  #classes: string | undefined

  constructor(name: string, tag: Tag | null, text: string) {
    this.name = name
    this.start = tag?.start ?? 0
    this.contentStart = tag?.end ?? 0
    this.#tag = tag
    this.#text = text
  }

  /** Adds the element to the content. */
  attach(parent: PageElement): void {
    this.parent = parent
    this.depth = parent.depth + 1
    this.children = []
    parent.children.push(this)
    if (!blocks.has(this.name)) return
    this.hasBlock = true
    for (let outer: PageElement | null = parent; outer && !outer.hasBlock; outer = outer.parent) outer.hasBlock = true
  }

  /** Returns the value of an attribute; '' = it has none. */
  get(name: string): string {
    return this.#tag?.source.includes(name) ? readAttribute(this.#tag, name, this.#text) : ''
  }

  has(name: string): boolean {
    return this.#tag !== null && findAttribute(this.#tag, name) !== undefined
  }

  get classes(): string {
    this.#classes ??= this.get('class')
    return this.#classes
  }
}

/** The content of a page, and what its head says. */
export interface PageTree {
  title: string
  /** The contents of the meta elements, by name in lower case; the first of each name. */
  meta: ReadonlyMap<string, string>
  content: PageElement
  /** The headings of the first level. */
  headings: PageElement[]
  /** The value of the first time element; '' = none. */
  time: string
}

const blocks = new Set(
  (
    'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 ' +
    'h6 header hgroup hr li main menu ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)

/**
 * Reads the content of a page as a tree: its main or article element, or else everything but its menus, as the offline search
 * does.
 *
 * @param text of the page, decoded.
 */
export function readPageTree(text: string): PageTree {
  const part = findMainPart(text)
  const tree = readFrom(text, part)
  return part && !hasText(tree.content) ? readFrom(text, null) : tree
}

function hasText({ children }: PageElement): boolean {
  return children.some(child => (typeof child === 'string' ? child.trim() !== '' : hasText(child)))
}

function readFrom(text: string, part: MainPart | null): PageTree {
  const content = new PageElement('main', null, text)
  content.children = []
  const tree = createTree(content)
  let isInTitle = false
  let parent = content
  let contentDepth = part ? 0 : 1
  let skippedDepth = 0

  const elements = createOpenElements<PageElement>(element => {
    if (element.use === 'content') contentDepth -= 1
    if (element.use === 'skipped') skippedDepth -= 1
    if (element.parent) ({ parent } = element)
  })

  function useOf(tag: Tag): PageElement['use'] {
    if (skippedDepth > 0) return 'part'
    if (part && (tag.name === part.name || (tag.source.includes('role') && roleOf(tag, text) === part.role)))
      return 'content'
    return (contentDepth > 0 ? isSkipped(tag, text, part !== null) : skippedNames.has(tag.name)) ? 'skipped' : 'part'
  }

  scanHtml(text, {
    tag(tag) {
      const { name, end } = tag
      isInTitle = name === 'title' && tree.title === '' && skippedDepth === 0
      if (name === 'meta') readMeta(tag, text, tree.meta)
      const element = new PageElement(name, tag, text)
      // Ends the elements that this tag implies to have ended.
      const hasContent = elements.openTag(element, text[end - 2] === '/')
      const use = useOf(tag)
      if (use === 'part' && contentDepth > 0 && skippedDepth === 0) {
        element.attach(parent)
        note(element, tree)
        if (hasContent && element.depth < maxDepth) parent = element
      }
      if (!hasContent) return
      element.use = use
      if (use === 'content') contentDepth += 1
      if (use === 'skipped') skippedDepth += 1
    },
    closeTag(name, start) {
      isInTitle = false
      const close = text.indexOf('>', start)
      elements.closeTag(name, start, close === -1 ? text.length : close + 1)
    },
    text(start, end) {
      if (isInTitle) tree.title += text.slice(start, end)
      else if (contentDepth > 0 && skippedDepth === 0) parent.children.push(decode(text.slice(start, end)))
    },
    rawText({ source }, start, end) {
      // MathJax keeps formulas in scripts.
      if (contentDepth > 0 && skippedDepth === 1 && source.includes('math/tex'))
        addFormula(text.slice(start, end), source.includes('mode=display'), parent)
    },
  })
  elements.finish(text.length)
  tree.title = toLine(decode(tree.title))
  return tree
}

function createTree(content: PageElement): PageTree & { meta: Map<string, string> } {
  return { title: '', meta: new Map(), content, headings: [], time: '' }
}

function readMeta(tag: Tag, text: string, meta: Map<string, string>): void {
  const name = (readAttribute(tag, 'name', text) || readAttribute(tag, 'property', text)).toLowerCase()
  if (name !== '' && !meta.has(name)) meta.set(name, toLine(readAttribute(tag, 'content', text)))
}

function note(element: PageElement, tree: PageTree): void {
  if (element.name === 'h1') tree.headings.push(element)
  else if (element.name === 'time') tree.time ||= element.get('datetime')
}

function addFormula(tex: string, isDisplay: boolean, parent: PageElement): void {
  const formula = new PageElement('quire-math', null, '')
  formula.attach(parent)
  formula.children.push(isDisplay ? `\\[${tex}\\]` : `\\(${tex}\\)`)
}

const skippedNames = new Set(
  (
    'title script style nav footer noscript template textarea select option datalist svg iframe object dialog canvas audio ' +
    'video button link meta'
  ).split(' '),
)
/** Classes of what surrounds the text in the content of a page: lists of its headings, trails, buttons. */
const skippedClasses =
  /(?:^|[\s_-])(?:toc-(?:mobile|desktop)|table-?of-?contents|breadcrumbs?|pagination|pagination-nav|prev-next|nav(?:header|footer|igation)|hideme|edit-(?:this-)?page|copy|copy-?(?:btn|button)|copybtn|clipboard|sr-only|visually-hidden|screen-reader-text|line-numbers-wrapper|skip-link)(?:$|[\s_])/i
/** Classes of menus, on pages that do not mark their content. */
const menuClasses = /(?:^|\s)(?:menu(?:bar)?|nav(?:bar)?|sidebar|toolbar|topbar)(?:$|\s)/i
/** Classes of the boxes that pages show beside or between their paragraphs. */
export const boxClasses =
  /(?:^|\s)(?:(?:theme-)?admonition(?:block)?|custom-block|starlight-aside|(?:nextra-)?callout|hint|alert|notice|markdown-alert|(?:note|tip|warning|caution|danger|important|info)(?=$|\s))(?:$|[\s_-])/i

/** Decides whether an element is no content: a menu, a button, or hidden. Panels of tabs are hidden until they are chosen. */
function isSkipped(tag: Tag, text: string, hasPart: boolean): boolean {
  const { name, source } = tag
  const value = (attribute: string) => readAttribute(tag, attribute, text)
  if (name === 'template') return !findAttribute(tag, 'shadowrootmode')
  if (name === 'header' && !hasPart) return true
  const role = source.includes('role') ? roleOf(tag, text) : ''
  if (skippedNames.has(name)) return role !== 'tab'
  if (name === 'aside') return role !== 'note' && !boxClasses.test(value('class'))
  if (role !== '' && silentRoles.test(role)) return true
  if (source.includes('hidden')) {
    if (value('aria-hidden') === 'true') return true
    if (findAttribute(tag, 'hidden') && role !== 'tabpanel') return true
  }
  const classes = source.includes('class') && name !== 'body' ? value('class') : ''
  return classes !== '' && (skippedClasses.test(classes) || (!hasPart && menuClasses.test(classes)))
}

function roleOf(tag: Tag, text: string): string {
  return readAttribute(tag, 'role', text).toLowerCase()
}

function readAttribute(tag: Tag, name: string, text: string): string {
  const found = findAttribute(tag, name)
  if (!found) return ''
  const raw = text.slice(found.start, found.end)
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw
}

function decode(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text
}

/** Returns a text on one line. */
export function toLine(text: string): string {
  return text
    .replace(/[\u200b\ufeff\u00ad]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
