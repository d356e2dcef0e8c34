// A long file: what counts as shown on a page, and what that text says about the page.
import { decodeHTML } from 'entities'
import { type Attribute, findAttribute, type HtmlHandler, scanHtml, type Tag } from './html-scan.ts'
import { inlineElements } from './inline-elements.ts'
import { createOpenElements, hasOptionalEnd, isVoid } from './open-elements.ts'
import { resolveStreamedContent } from './streamed-content.ts'
import { decodeAttribute, decodeRaw, encodeAttribute, encodeRaw, type RawText } from './text-encoding.ts'

/** The amount of text in the server's HTML of a page, and signs that scripts add more. */
export interface PageText {
  /** Visible words of the HTML alone, counted up to `countedWords`. */
  wordCount: number
  /** The words inside main or article; null = the page has neither. */
  mainWords: number | null
  /** File names of the page's scripts, sorted; '' = an inline script. Pages of one template have the same scripts. */
  scripts: string[]
  /** Whether an element that app frameworks fill is (nearly) empty. */
  hasEmptyRoot: boolean
  /** Whether the page has a meta refresh. */
  refreshes: boolean
}

const rootIds =
  /^(app|root|__next|__nuxt|___gatsby|svelte|q-app|app-root|react-root|main-app|redoc|redoc-container|swagger-ui|elements|docsify)$/i
/** Elements that may be the root of an app. */
const mayBeRoot = /^(?:div|main|section|body|article)$|-/
const rootNames = new Set(['app-root', 'redoc', 'rapi-doc', 'elements-api'])

/** Fewer words than this after an app's root element are a message such as "Loading ...", not a page. */
const emptyRootWords = 40
/** Max counted words. More words do not change any result. */
const countedWords = 200

export function readPageText(raw: RawText): PageText {
  const reader = createTextReader(raw)
  scanHtml(raw.text, reader.handler)
  return reader.finish()
}

/** Counts the words of a page while it is scanned. Streamed content must be in its place. */
export function createTextReader(raw: RawText): { handler: HtmlHandler; finish(): PageText } {
  const { text } = raw
  const scripts = new Set<string>()
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), raw.charset)
  let wordCount = 0
  let mainWords: number | null = null
  let wordsAfterRoot: number | null = null
  let mainDepth = 0
  let refreshes = false

  const visible = visibleText(raw, {
    tag(tag) {
      if (tag.name === 'main' || tag.name === 'article') {
        mainDepth += 1
        mainWords ??= 0
      }
      const id = mayBeRoot.test(tag.name) ? findAttribute(tag, 'id') : undefined
      if (rootNames.has(tag.name) || (id && rootIds.test(value(id)))) wordsAfterRoot = 0
      if (tag.name === 'meta') {
        const equivalent = findAttribute(tag, 'http-equiv')
        if (equivalent && /^refresh$/i.test(text.slice(equivalent.start, equivalent.end))) refreshes = true
      }
    },
    closeTag(name) {
      if ((name === 'main' || name === 'article') && mainDepth > 0) mainDepth -= 1
    },
    text(start, end) {
      const wanted = wordCount < countedWords || (mainDepth > 0 && (mainWords ?? 0) < countedWords)
      if (!wanted && (wordsAfterRoot === null || wordsAfterRoot >= countedWords)) return
      const count = countWords(text.slice(start, end))
      wordCount += count
      if (mainDepth > 0) mainWords = (mainWords ?? 0) + count
      if (wordsAfterRoot !== null) wordsAfterRoot += count
    },
  })
  return {
    handler: {
      ...visible,
      rawText(tag) {
        if (tag.name !== 'script' || !isExecutable(tag, raw)) return
        const source = findAttribute(tag, 'src')
        scripts.add(source ? (value(source).split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '') : '')
      },
    },
    finish: () => ({
      wordCount,
      mainWords,
      scripts: [...scripts].sort(),
      hasEmptyRoot: wordsAfterRoot !== null && wordsAfterRoot < emptyRootWords,
      refreshes,
    }),
  }
}

interface Reading {
  /** Whether the text of popovers counts as shown. Absent = it does not. */
  withPopovers?: boolean
}

/** Returns the words that a reader sees once streamed content is in its place, in order. */
export function readPageWords(streamed: RawText, reading: Reading = {}): string[] {
  const raw = resolveStreamedContent(streamed)
  const parts: string[] = []
  const visible = visibleText(raw, { text: (start, end) => parts.push(raw.text.slice(start, end)) }, reading)
  scanHtml(raw.text, visible)
  return splitWords(decodeHTML(decodeRaw(parts.join(' '), raw.charset)))
}

/** Returns the words as a browser joins them: `<i>a</i>b` is one word here and two words in readPageWords. */
export function readGluedWords(streamed: RawText, reading: Reading = {}): string[] {
  const raw = resolveStreamedContent(streamed)
  const parts: string[] = []
  const end = (name: string) => {
    if (!inlineElements.has(name)) parts.push(' ')
  }
  const text = (start: number, end: number) => parts.push(raw.text.slice(start, end))
  const visible = visibleText(raw, { tag: ({ name }) => end(name), closeTag: end, text }, reading)
  scanHtml(raw.text, visible)
  return splitWords(decodeHTML(decodeRaw(parts.join(''), raw.charset)))
}

/** Counts the words of raw text. Entities are not decoded. */
function countWords(text: string): number {
  let count = 0
  let isInside = false
  for (let at = 0; at < text.length; at += 1) {
    const isSpace = text.charCodeAt(at) <= 32
    if (!isSpace && !isInside) count += 1
    isInside = !isSpace
  }
  return count
}

export function splitWords(text: string): string[] {
  return text.split(/[\s\u200b\ufeff]+/).filter(word => word !== '')
}

/** Decides whether a script element contains or loads a program. JSON and templates are data. */
export function isExecutable(tag: Tag, raw: RawText): boolean {
  const name = scriptType(tag, raw)
  return name === '' || name === 'module' || /(java|ecma)script/.test(name)
}

/** Decides whether a script element is an import map. */
export function isImportMap(tag: Tag, raw: RawText): boolean {
  return scriptType(tag, raw) === 'importmap'
}

function scriptType(tag: Tag, raw: RawText): string {
  const type = findAttribute(tag, 'type')
  return type ? decodeAttribute(raw.text.slice(type.start, type.end), raw.charset).trim().toLowerCase() : ''
}

/**
 * Decides whether the server's HTML contains the page.
 * - complete: the HTML contains the page
 * - suspect: the HTML may be a frame that scripts fill; render it if there is a browser
 * - shell: the HTML is almost empty without its scripts
 */
export function judgePage(page: PageText): 'complete' | 'suspect' | 'shell' {
  if (page.scripts.length === 0 || page.refreshes) return 'complete'
  const count = page.wordCount
  if (count < 8 || (page.hasEmptyRoot && count < 2 * emptyRootWords)) return 'shell'
  if (page.hasEmptyRoot || count < 60 || (page.mainWords !== null && page.mainWords < 12)) return 'suspect'
  return 'complete'
}

/** Returns how many of `words` are missing in `among`. Repeated words must occur as many times. Case is ignored. */
export function countMissing(words: readonly string[], among: readonly string[]): number {
  return missingWords(words, among).length
}

/** Returns the words that `countMissing` counts. */
export function missingWords(words: readonly string[], among: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const word of among) {
    const key = word.toLowerCase()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return words.filter(word => {
    const key = word.toLowerCase()
    const left = counts.get(key) ?? 0
    if (left > 0) counts.set(key, left - 1)
    return left === 0
  })
}

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
function visibleText(raw: RawText, handler: HtmlHandler, reading: Reading = {}): HtmlHandler {
  let hidden: HiddenElement | null = null
  return {
    tag(tag) {
      if (hidden?.contains(tag)) return
      hidden = hidesContent(tag, raw, reading) ? createHiddenElement(tag) : null
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
function hidesContent(tag: Tag, raw: RawText, { withPopovers = false }: Reading): boolean {
  if (tag.name === 'template') return !findAttribute(tag, 'shadowrootmode')
  // A slash closes svg and math elements. It is ignored in others of these elements, which nobody writes that way.
  if (silent.has(tag.name)) return raw.text[tag.end - 2] !== '/'
  if (tag.name === 'dialog') return !findAttribute(tag, 'open')
  if (tag.isPlain || !mayHide.test(tag.source)) return false
  if (alwaysShown.has(tag.name) || isVoid(tag.name)) return false
  if (findAttribute(tag, 'hidden') || (!withPopovers && findAttribute(tag, 'popover'))) return true
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

/** A page with more visible text is content, not a redirect. */
const maxText = 400
const maxMarkup = 20_000

/** An assignment to the location. Its literal is the whole address. */
const redirect =
  /(?:^|[;{}()\s])(?:window\.|document\.|self\.|top\.)*location(?:\.href\s*=|\s*=|\.(?:replace|assign)\s*\()\s*(["'`])([^"'`\s<>\\]{1,2000})\1(?!\s*[+.?[,&|])/

/**
 * Converts a page that contains only a redirect by script into a page that redirects without scripts. Returns null for all
 * other pages, and if the script's address is not a single literal.
 */
export function readScriptRedirect({ text, charset }: RawText): RawText | null {
  if (text.length > maxMarkup || !text.includes('location')) return null
  const { scripts, visible, title = 'This page has moved' } = readParts(text)
  const [script = ''] = scripts
  const program = script.replace(/(["'`])[^"'`]*\1/g, '')
  // A script with conditions, loops or callbacks is a program, not a redirect.
  if (
    scripts.length !== 1 ||
    /\b(?:if|for|while|do|switch|try|function|addEventListener|setTimeout)\b|=>|\?/.test(program)
  )
    return null
  const address = redirect.exec(script)?.[2]
  if (address === undefined || visible.trim().length > maxText) return null
  // Addresses that a browser refuses (chrome:), executes (javascript:) or completes (${...}) are not redirects.
  if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(address) || address.includes('${')) return null
  const target = encodeAttribute(decodeRaw(address, charset), charset)
  const markup =
    `<!doctype html><html><head><meta http-equiv="refresh" content="0; url=${target}"/><title>${title}</title></head>` +
    `<body><p><a href="${target}">This page has moved.</a></p></body></html>\n`
  return { text: encodeRaw(markup, charset, code => `&#${code};`), charset }
}

interface Parts {
  /** The programs of the page; '' = a loaded script, which may contain any code. */
  scripts: string[]
  /** The text outside of elements that browsers with scripts do not show. */
  visible: string
  title?: string | undefined
}

function readParts(text: string): Parts {
  const parts: Parts = { scripts: [], visible: '' }
  let silent = ''
  scanHtml(text, {
    tag({ name }) {
      if (name === 'title') parts.title ??= ''
      if (silent === '' && (name === 'title' || name === 'noscript')) silent = name
    },
    closeTag(name) {
      if (name === silent) silent = ''
    },
    text(start, end) {
      if (silent === 'title') parts.title ||= text.slice(start, end).split('<', 1)[0]
      if (silent === '') parts.visible += text.slice(start, end)
    },
    rawText(tag, start, end) {
      if (tag.name !== 'script') return
      // A browser does not run a script without an end tag.
      if (end === text.length) {
        parts.visible += text.slice(start)
        return
      }
      const attributes = text.slice(tag.nameEnd, tag.end - 1)
      const isData = /\btype\s*=\s*["']?(?!module|(?:text|application)\/javascript)\w/i.test(attributes)
      if (!isData) parts.scripts.push(/\bsrc\s*=/i.test(attributes) ? '' : text.slice(start, end))
    },
  })
  return parts
}
