import { decodeHTML } from 'entities'
import { findAttribute, scanHtml } from './html-scan.ts'
import { decodeAttribute, decodeRaw, type RawText } from './text-encoding.ts'

/** What a reader sees of a page as the server sent it, and what speaks for scripts having to add the rest. */
export interface PageText {
  /** Visible words in their order, as far as HTML alone tells. */
  words: string[]
  /** Words inside main or article; null when the page has neither. */
  mainWords: number | null
  /** File names of its scripts, sorted; inline ones count as ''. Pages of one template share them. */
  scripts: string[]
  /** An element that app frameworks fill is (nearly) empty. */
  hasEmptyRoot: boolean
  /** Goes somewhere else by itself (meta refresh). */
  refreshes: boolean
}

const invisible = new Set(['noscript', 'template', 'title', 'textarea', 'select', 'svg', 'math', 'iframe', 'object'])
const rootIds =
  /^(app|root|__next|__nuxt|___gatsby|svelte|q-app|app-root|react-root|main-app|redoc|redoc-container|swagger-ui|elements|docsify)$/i
const rootNames = new Set(['app-root', 'redoc', 'rapi-doc', 'elements-api'])

/** Fewer words than this after an app's root element is a message such as "Loading ...", not a page. */
const emptyRootWords = 40

export function readPageText(raw: RawText): PageText {
  const parts: string[] = []
  let hidden: string | null = null
  let hiddenDepth = 0
  const scripts = new Set<string>()
  let refreshes = false
  let mainDepth = 0
  let mainParts: number | null = null
  const mainText: string[] = []
  let rootAt: number | null = null
  const value = (text: string) => decodeAttribute(text, raw.charset)

  scanHtml(raw.text, {
    tag(tag) {
      if (hidden) {
        if (tag.name === hidden) hiddenDepth += 1
        return
      }
      if (invisible.has(tag.name) && raw.text[tag.end - 2] !== '/') {
        hidden = tag.name
        hiddenDepth = 1
      }
      if (tag.name === 'main' || tag.name === 'article') {
        mainDepth += 1
        mainParts ??= 0
      }
      const id = findAttribute(tag, 'id')
      if (rootNames.has(tag.name) || (id && rootIds.test(value(raw.text.slice(id.start, id.end)))))
        rootAt = parts.length
      if (tag.name === 'meta') {
        const equivalent = findAttribute(tag, 'http-equiv')
        if (equivalent && /^refresh$/i.test(raw.text.slice(equivalent.start, equivalent.end))) refreshes = true
      }
    },
    closeTag(name) {
      if (name === hidden) {
        hiddenDepth -= 1
        if (hiddenDepth === 0) hidden = null
      } else if ((name === 'main' || name === 'article') && mainDepth > 0) mainDepth -= 1
    },
    text(start, end) {
      if (hidden) return
      const text = raw.text.slice(start, end)
      parts.push(text)
      if (mainDepth > 0) mainText.push(text)
    },
    rawText(tag) {
      if (tag.name !== 'script' || !isExecutable(tag, raw)) return
      const source = findAttribute(tag, 'src')
      scripts.add(
        source
          ? (value(raw.text.slice(source.start, source.end))
              .replace(/[?#].*$/, '')
              .split('/')
              .at(-1) ?? '')
          : '',
      )
    },
  })

  const toWords = (texts: string[]) => splitWords(decodeHTML(decodeRaw(texts.join(' '), raw.charset)))
  return {
    words: toWords(parts),
    mainWords: mainParts === null ? null : toWords(mainText).length,
    scripts: [...scripts].sort(),
    hasEmptyRoot: rootAt !== null && toWords(parts.slice(rootAt)).length < emptyRootWords,
    refreshes,
  }
}

export function splitWords(text: string): string[] {
  return text.split(/[\s\u200b\ufeff]+/).filter(word => word !== '')
}

/** Whether a script element holds or loads a program; JSON and templates are data. */
export function isExecutable(tag: Parameters<typeof findAttribute>[0], raw: RawText): boolean {
  const type = findAttribute(tag, 'type')
  if (!type) return true
  const name = decodeAttribute(raw.text.slice(type.start, type.end), raw.charset).trim().toLowerCase()
  return name === '' || name === 'module' || /(java|ecma)script/.test(name)
}

/**
 * Whether the server's HTML holds the page.
 * - complete: it does; suspect: it may be a frame that scripts fill, ask a browser if there is one
 * - shell: it holds next to nothing without its scripts
 */
export function judgePage(page: PageText): 'complete' | 'suspect' | 'shell' {
  if (page.scripts.length === 0 || page.refreshes) return 'complete'
  const count = page.words.length
  if (count < 8 || (page.hasEmptyRoot && count < 2 * emptyRootWords)) return 'shell'
  if (page.hasEmptyRoot || count < 60 || (page.mainWords !== null && page.mainWords < 12)) return 'suspect'
  return 'complete'
}

/** How many of `words` are not among the others, each counted as often as it stands there. Case does not matter. */
export function countMissing(words: readonly string[], among: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of among) counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1)
  let missing = 0
  for (const word of words) {
    const left = counts.get(word.toLowerCase()) ?? 0
    if (left > 0) counts.set(word.toLowerCase(), left - 1)
    else missing += 1
  }
  return missing
}
