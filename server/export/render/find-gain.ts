import type { RenderedPage } from '../../web/browser/renderer.ts'
import { missingWords, readGluedWords, readPageWords } from '../../web/html/page-text.ts'
import type { RawText } from '../../web/html/text-encoding.ts'

/** Min words that rendering must add, and their min share of all words. */
const gainedWords = 20
const gainedShare = 0.1

/**
 * Some sites show a popover as part of the page on a wide screen. If it is hidden where the scripts do not run, the check of the bundle
 * finds the lost text.
 */
const reading = { withPopovers: true }

/**
 * Compares a page in a browser with its HTML. A word is gained when the HTML lacks it in both readings: with the text of
 * neighbouring elements separated, and with this text joined.
 */
export function findGain({ words, menuWords }: RenderedPage, raw: RawText): 'nothing' | 'menus' | 'content' {
  const split = readPageWords(raw, reading)
  const missing = (shown: readonly string[]) => {
    const gained = missingWords(shown, split)
    return gained.length === 0 ? gained : missingWords(gained, missingWords(readGluedWords(raw, reading), split))
  }
  const isMuch = (more: number) => more > split.length || (more >= gainedWords && more >= words.length * gainedShare)
  const gained = missing(words)
  if (!isMuch(gained.length)) return 'nothing'
  return isMuch(missingWords(gained, missing(menuWords)).length) ? 'content' : 'menus'
}
