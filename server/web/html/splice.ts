import type { Tag } from './html-scan.ts'

/** Collects replacements in a text and applies them together. All other bytes stay unchanged. */
export interface Splices {
  /** Replaces a range. If start = end, the text is inserted, before a replacement that starts there. */
  replace(start: number, end: number, text: string): void
  /**
   * Leaves out edits inside a longer one, which replaces their text: an element that is removed takes its removed parts with it.
   *
   * @throws {Error} if two edits overlap in another way.
   */
  apply(): string
  readonly count: number
}

interface Edit {
  start: number
  end: number
  text: string
}

export function createSplices(text: string): Splices {
  const edits: Edit[] = []
  return {
    replace(start, end, replacement) {
      edits.push({ start, end, text: replacement })
    },
    get count() {
      return edits.length
    },
    apply() {
      // The sort is stable, so insertions at the same position keep their order.
      edits.sort((a, b) => a.start - b.start || Number(isInsertion(b)) - Number(isInsertion(a)) || b.end - a.end)
      const parts: string[] = []
      let last: Edit = { start: 0, end: 0, text: '' }
      for (const edit of edits) {
        if (edit.start < last.end) {
          if (isInside(edit, last)) continue
          throw new Error(`Two edits overlap: ${describe(last)} and ${describe(edit)}.`)
        }
        parts.push(text.slice(last.end, edit.start), edit.text)
        last = edit
      }
      parts.push(text.slice(last.end))
      return parts.join('')
    },
  }
}

function isInsertion({ start, end }: Edit): boolean {
  return start === end
}

/** The same edit twice is one edit. */
function isInside(edit: Edit, outer: Edit): boolean {
  return edit.end < outer.end || edit.start > outer.start ? edit.end <= outer.end : edit.text === outer.text
}

function describe({ start, end, text }: Edit): string {
  return `${start}-${end} -> ${JSON.stringify(text.slice(0, 80))}`
}

/** Finds where the head of a page starts, while the page is scanned. */
export interface HeadStart {
  tag(tag: Tag): void
  /** Returns the position after the head tag, else after the html tag, else after the doctype, which must be first. */
  find(text: string): number
}

/** Markup at this position comes before the rest of the head. The export adds its policy here, and the host its base address. */
export function createHeadStart(): HeadStart {
  let headEnd: number | null = null
  let htmlEnd: number | null = null
  return {
    tag({ name, end }) {
      if (name === 'head') headEnd ??= end
      else if (name === 'html') htmlEnd ??= end
    },
    find: text => headEnd ?? htmlEnd ?? doctypeEnd(text) ?? bomLength(text),
  }
}

/** Returns the position after the doctype if only white space and comments precede the doctype; otherwise null. */
function doctypeEnd(text: string): number | null {
  // Scans step by step. With one expression, thirty comments without a doctype take seconds, and forty take an hour.
  for (let at = bomLength(text); ; ) {
    const space = /[^\s]/g
    space.lastIndex = at
    at = space.exec(text)?.index ?? text.length
    const rest = text.slice(at, at + 9).toLowerCase()
    const isDoctype = rest === '<!doctype'
    const close = isDoctype || rest.startsWith('<?xml') ? '>' : rest.startsWith('<!--') ? '-->' : null
    const end = close === null ? -1 : text.indexOf(close, at)
    if (close === null || end === -1) return null
    at = end + close.length
    if (isDoctype) return at
  }
}

function bomLength(text: string): number {
  return text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
}
