import { missingWords } from '../../web/html/page-text.ts'
import type { Difference } from '../model/report.ts'
import { findLoss } from './compare-page.ts'
import type { ScriptedPage } from './sample-pages.ts'
import { isSerious } from './text-loss.ts'

/** Max pages that are kept as a browser shows them because their text is lost elsewhere. Each costs the browser half a second. */
const maxPages = 400

/**
 * Lists pages that lose much of their text in a place, because only their scripts make it: all pages with the scripts of a page that
 * does. Lists none if there are too many to open.
 *
 * @param pagePaths paths of the pages in the bundle, by key.
 * @return keys of pages.
 */
export function listLossyPages(
  differences: readonly Difference[],
  scripted: readonly ScriptedPage[],
  pagePaths: ReadonlyMap<string, string>,
): string[] {
  const lossy = new Set(differences.flatMap(each => (isSerious(each) ? [each.page] : [])))
  const plain = scripted.flatMap(({ page, app }) => (app ? [] : [page]))
  const templates = new Set(
    plain.flatMap(({ key, template }) => (lossy.has(pagePaths.get(key) ?? '') ? [template] : [])),
  )
  const keys = plain.flatMap(({ key, template }) => (templates.has(template) ? [key] : []))
  return keys.length > maxPages ? [] : keys
}

/**
 * Decides whether a page shows as much text as when it was opened before. Text that scripts make anew each time is whole if as many
 * other words are in its place.
 *
 * @param known undefined = the page was not opened before.
 */
export function isWhole(words: string[], known: { words: string[] } | undefined): boolean {
  if (!known || findLoss({ words, headingWords: [] }, known) === null) return true
  return missingWords(words, known.words).length >= missingWords(known.words, words).length
}

/** Says that pages were kept without their scripts. */
export function noteFrozenPages(paths: readonly string[]): string[] {
  const [first] = [...paths].sort()
  if (first === undefined) return []
  const remedy = 'without scripts; --allow-loss keeps the scripts, and loses the text elsewhere.'
  return paths.length === 1
    ? [
        `${first} has text that only its scripts make, and not in all places. It is kept as a browser shows it, ${remedy}`,
      ]
    : [
        `${paths.length} pages, such as ${first}, have text that only their scripts make, and not in all places. They are kept as a browser shows them, ${remedy}`,
      ]
}
