import { countMissing, splitWords } from '../../web/html/page-text.ts'

/** Max differing words, in each direction, for a page to count as the not-found page. */
const maxOwnWords = 3

/**
 * Decides whether a page with status 200 has the same text as the not-found page (the site's answer to a made-up address).
 *
 * @param asked the made-up address.
 */
export function isMissing(missingWords: readonly string[], asked: URL, words: readonly string[], url: URL): boolean {
  // The empty HTML of an app has the same words for all pages; the rendered pages are compared instead.
  if (missingWords.length < 3) return false
  // Not-found pages often repeat the requested address, so its words are ignored on both pages.
  const named = [...pathWords(url), ...pathWords(asked)]
  const isOwn = (word: string) => !named.some(part => word.includes(part))
  const page = words.filter(isOwn)
  const model = missingWords.filter(isOwn)
  // The limit is a count, not a share of words: two short pages with the same long menu are different pages.
  return countMissing(page, model) <= maxOwnWords && countMissing(model, page) <= maxOwnWords
}

function pathWords(url: URL): string[] {
  return splitWords(decodeURIComponentSafely(url.pathname).replace(/\//g, ' ')).filter(word => word.length > 3)
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
