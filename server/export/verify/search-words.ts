/** Max words to try. Some words find nothing, such as the kind of a page in its title. */
const maxWords = 8

/** A word that no page contains. A search that corrects spelling finds nothing similar. */
export const unknownWord = 'qzjxvkqwz'

/**
 * Chooses words to search for from the titles of pages: of each page the word that the fewest titles have, because searches
 * of manuals find names. The same titles give the same words.
 */
export function chooseSearchWords(pageTitles: readonly string[]): string[] {
  const titles = pageTitles.map(splitNames)
  const counts = new Map<string, number>()
  for (const word of titles.flatMap(words => [...words])) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sorted = titles.map(words =>
    [...words].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || b.length - a.length || (a < b ? -1 : 1)),
  )
  const chosen = new Set<string>()
  for (let rank = 0; rank < maxWords; rank += 1)
    for (const words of sorted) {
      const word = words[rank]
      if (word !== undefined && chosen.size < maxWords) chosen.add(word)
    }
  return [...chosen]
}

/** Splits `std::vec::Vec<T>` into names, and leaves out what is short or has digits. */
function splitNames(title: string): Set<string> {
  const names = title.split(/[^\p{L}\p{N}]+/u)
  return new Set(names.filter(name => /^\p{L}{4,24}$/u.test(name)))
}
