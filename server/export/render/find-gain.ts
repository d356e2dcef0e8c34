import type { RenderedPage } from '../../web/browser/renderer.ts'
import { missingWords, readGluedWords, readPageWords } from '../../web/html/page-text.ts'
import type { RawText } from '../../web/html/text-encoding.ts'

/** What a page gains when its scripts run, by the words that its HTML has neither way: tag by tag, or put together. */
export function findGain({ words, menuWords }: RenderedPage, raw: RawText): 'nothing' | 'menus' | 'content' {
  const split = readPageWords(raw)
  const missing = (shown: readonly string[]) => {
    const gained = missingWords(shown, split)
    return gained.length === 0 ? gained : missingWords(gained, missingWords(readGluedWords(raw), split))
  }
  const isMuch = (more: number) => more > split.length || (more >= gainedWords && more >= words.length * gainedShare)
  const gained = missing(words)
  if (!isMuch(gained.length)) return 'nothing'
  return isMuch(missingWords(gained, missing(menuWords)).length) ? 'content' : 'menus'
}

/** A page gains by rendering when the browser shows so many words more, and so large a share of all. */
export const gainedWords = 20
export const gainedShare = 0.1
