/** Collects replacements in a text and applies them together. All other bytes stay unchanged. */
export interface Splices {
  /** Replaces a range. Ranges may not overlap. If start = end, the text is inserted. */
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
      // The sort is stable, so insertions at the same position keep their order.
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
