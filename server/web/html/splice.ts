/** Collects replacements in a text and applies them at once; all other bytes stay the same. */
export interface Splices {
  /** Parts must come in ascending order and may not overlap; start = end inserts. */
  replace(start: number, end: number, text: string): void
  apply(): string
  readonly count: number
}

export function createSplices(text: string): Splices {
  const edits: { start: number; end: number; text: string }[] = []
  return {
    replace(start, end, replacement) {
      edits.push({ start, end, text: replacement })
    },
    get count() {
      return edits.length
    },
    apply() {
      if (edits.length === 0) return text
      // The sort is stable: insertions at the same place keep their order.
      edits.sort((a, b) => a.start - b.start)
      const parts: string[] = []
      let at = 0
      for (const edit of edits) {
        if (edit.start < at) continue
        parts.push(text.slice(at, edit.start), edit.text)
        at = edit.end
      }
      parts.push(text.slice(at))
      return parts.join('')
    },
  }
}
