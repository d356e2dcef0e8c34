/** One candidate of a srcset: its URL and the position of the URL in the value. */
export interface SrcsetCandidate {
  url: string
  start: number
  end: number
}

/** Finds the URLs of a srcset attribute by the parsing rules of HTML ("parse a srcset attribute"). */
export function srcsetCandidates(value: string): SrcsetCandidate[] {
  const found: SrcsetCandidate[] = []
  let at = 0
  while (at < value.length) {
    while (at < value.length && /[\s,]/.test(value.charAt(at))) at += 1
    const start = at
    while (at < value.length && !/\s/.test(value.charAt(at))) at += 1
    let end = at
    // Commas at the end of the URL end the candidate. Otherwise, descriptors follow up to a comma outside parentheses.
    while (end > start && value.charAt(end - 1) === ',') end -= 1
    if (end > start) found.push({ url: value.slice(start, end), start, end })
    if (end < at) continue
    let depth = 0
    while (at < value.length) {
      const character = value.charAt(at)
      at += 1
      if (character === '(') depth += 1
      else if (character === ')') depth -= 1
      else if (character === ',' && depth <= 0) break
    }
  }
  return found
}

/** Replaces each URL of a srcset. If `replace` returns null, the candidate is removed with its descriptors. */
export function replaceSrcset(value: string, replace: (url: string) => string | null): string {
  const candidates = srcsetCandidates(value)
  const kept: string[] = []
  for (const [index, candidate] of candidates.entries()) {
    const url = replace(candidate.url)
    if (url === null) continue
    const until = candidates[index + 1]?.start ?? value.length
    const descriptors = trimSeparators(value.slice(candidate.end, until))
    kept.push(url + descriptors)
  }
  return kept.join(', ')
}

/** Removes separators without a regular expression, which would take quadratic time on many spaces before other text. */
function trimSeparators(text: string): string {
  let end = text.length
  while (end > 0 && /[\s,]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
