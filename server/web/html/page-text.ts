import { decodeHTML } from 'entities'
import { type Attribute, findAttribute, type HtmlHandler, scanHtml, type Tag } from './html-scan.ts'
import { inlineElements } from './inline-elements.ts'
import { resolveStreamedContent } from './streamed-content.ts'
import { decodeAttribute, decodeRaw, type RawText } from './text-encoding.ts'
import { visibleText } from './visible-text.ts'

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
        scripts.add(
          source
            ? (value(source)
                .replace(/[?#].*$/, '')
                .split('/')
                .at(-1) ?? '')
            : '',
        )
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

/** Returns the words that a reader sees once streamed content is in its place, in order. */
export function readPageWords(streamed: RawText): string[] {
  const raw = resolveStreamedContent(streamed)
  const parts: string[] = []
  const visible = visibleText(raw, { text: (start, end) => parts.push(raw.text.slice(start, end)) })
  scanHtml(raw.text, visible)
  return splitWords(decodeHTML(decodeRaw(parts.join(' '), raw.charset)))
}

/** Returns the words as a browser joins them: `<i>a</i>b` is one word here and two words in readPageWords. */
export function readGluedWords(streamed: RawText): string[] {
  const raw = resolveStreamedContent(streamed)
  const parts: string[] = []
  const end = (name: string) => {
    if (!inlineElements.has(name)) parts.push(' ')
  }
  const visible = visibleText(raw, {
    tag: ({ name }) => end(name),
    closeTag: end,
    text: (start, end) => parts.push(raw.text.slice(start, end)),
  })
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
  for (const word of among) counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1)
  return words.filter(word => {
    const left = counts.get(word.toLowerCase()) ?? 0
    if (left > 0) counts.set(word.toLowerCase(), left - 1)
    return left === 0
  })
}
