import { countMissing, splitWords } from '../../web/html/page-text.ts'

/** How many words a page may differ by, either way, and still count as the page for missing ones. */
const maxOwnWords = 3

/**
 * Whether a page answered with 200 says what the page for a made-up address says.
 *
 * @param asked the made-up address.
 */
export function isMissing(missingWords: readonly string[], asked: URL, words: readonly string[], url: URL): boolean {
  // An empty shell has the same words everywhere; the rendered pages are compared instead.
  if (missingWords.length < 3) return false
  // Such pages often repeat the requested address; both are compared without it.
  const named = [...pathWords(url), ...pathWords(asked)]
  const isOwn = (word: string) => !named.some(part => word.includes(part))
  const page = words.filter(isOwn)
  const model = missingWords.filter(isOwn)
  // Not a share: two short pages with a long common menu are still two pages.
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
