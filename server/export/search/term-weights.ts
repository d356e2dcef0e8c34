import type { TermReader } from '../../in-page/search/search-terms.ts'

/** The indexed parts of a section. */
export interface IndexedSection {
  text: string
  heading: string
  /** Name and title of the page for its first section; empty for other sections. */
  titles: string[]
}

/** Usual lengths in terms. In longer texts and headings, each term counts less. */
const usualText = 120
const usualHeading = 3

/** Returns the weight of each term in a section: by BM25 in the text, more in the heading, most in the name of the page. */
export function weighSection(reader: TermReader, { text, heading, titles }: IndexedSection): Map<string, number> {
  const weights = weighText(reader, text)
  const addField = (field: string, weight: number) => {
    const terms = reader.read(field)
    const length = terms.filter(({ isPart }) => !isPart).length
    const share = (weight * 2) / (1 + length / usualHeading)
    const whole = new Map<string, boolean>()
    for (const { term, isPart } of terms) whole.set(term, whole.get(term) || !isPart)
    for (const [term, isWhole] of whole) weights.set(term, (weights.get(term) ?? 0) + (isWhole ? share : share / 2))
  }
  const [name, title] = titles
  if (name !== undefined) addField(name, 3)
  if (title !== undefined) addField(title, 0.5)
  if (name === undefined) addField(heading, 1.4)
  return weights
}

function weighText(reader: TermReader, text: string): Map<string, number> {
  const counts = new Map<string, number>()
  let length = 0
  reader.visit(text, term => {
    length += 1
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  const norm = 1.2 * (0.4 + (0.6 * length) / usualText)
  for (const [term, count] of counts) counts.set(term, count / (count + norm))
  return counts
}
