/** Max words to try. Some words find nothing, such as the kind of a page in its title. */
const maxWords = 8

/** Min letters of a word that are compared with texts. */
const minStem = 4

/** A word that no page contains. A search that corrects spelling finds nothing similar. */
export const unknownWord = 'qzjxvkqwz'

/**
 * Chooses words to search for from the titles of pages: of each page the word that the fewest texts and titles have, because
 * searches of manuals find names, and some load every page that they find. The same pages give the same words.
 *
 * @param pageTexts texts of the pages, in lower case.
 */
export function chooseSearchWords(pageTitles: readonly string[], pageTexts: readonly string[] = []): string[] {
  const titles = pageTitles.map(splitNames)
  const counts = new Map<string, number>()
  for (const words of titles)
    for (const word of new Set([...words].map(lower))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const countOf = (word: string) => counts.get(lower(word)) ?? 0
  const texts = new Map([...counts.keys()].map(word => [word, countTexts(pageTexts, stemOf(word))]))
  const textsOf = (word: string) => texts.get(lower(word)) ?? 0
  const sorted = titles.map(words =>
    [...words].sort(
      (a, b) => textsOf(a) - textsOf(b) || countOf(a) - countOf(b) || b.length - a.length || (a < b ? -1 : 1),
    ),
  )
  const ranked = Array.from({ length: maxWords }, (_, rank) => sorted.flatMap(words => words[rank] ?? [])).flat()
  // A word of most titles has so many hits that a reader would wait for them: it comes last.
  const isCommon = (word: string) => countOf(word) > titles.length / 2
  const chosen = new Set([...ranked.filter(word => !isCommon(word)), ...ranked.filter(isCommon)])
  return [...chosen].sort((a, b) => textsOf(a) - textsOf(b)).slice(0, maxWords)
}

/** Searches find "import" for "importing". */
function stemOf(word: string): string {
  return word.slice(0, Math.max(minStem, word.length - 3))
}

/** A word of a title that no text has is perhaps the name of the site: it counts as the most frequent. */
function countTexts(texts: readonly string[], word: string): number {
  return texts.filter(text => text.includes(word)).length || texts.length
}

/** Searches ignore case: "Documentation" is as frequent as "documentation" in all other titles. */
function lower(word: string): string {
  return word.toLowerCase()
}

/** Splits `std::vec::Vec<T>` into names, and leaves out what is short or has digits. */
function splitNames(title: string): Set<string> {
  const names = title.split(/[^\p{L}\p{N}]+/u)
  return new Set(names.filter(name => /^\p{L}{4,24}$/u.test(name)))
}
