/** Splits a pattern at its wildcards. `*` matches any text. */
export function splitWildcards(pattern: string): string[] {
  return pattern.split(/\*+/)
}

/**
 * Decides whether the parts between wildcards occur in a text in order, the first one at its beginning. Takes linear time
 * per part, unlike a regular expression with several `.*`.
 *
 * @param isWhole whether the last part is at the end of the text.
 */
export function matchesWildcards(parts: readonly string[], text: string, isWhole = true): boolean {
  const [first = '', ...others] = parts
  const last = isWhole ? (others.pop() ?? null) : ''
  if (last === null) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
