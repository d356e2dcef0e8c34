/** A part of the new text: new text, or a range of the old text with its own replacements applied. */
export type Piece = string | { start: number; end: number }

/** Collects replacements that may contain other ranges of the same text, and applies them together. */
export interface Moves {
  /** Replaces a range. Ranges may contain each other, but may not overlap in part. If start = end, the pieces are inserted. */
  replace(start: number, end: number, pieces: readonly Piece[]): void
  apply(): string
}

interface Edit {
  start: number
  end: number
  pieces: readonly Piece[]
}

/** The work left to do for one range: the text from `at` to `end`, after the pieces. */
interface Frame {
  at: number
  end: number
  /** The first edit at or after `at`. */
  next: number
  pieces: Piece[]
}

/** Creates an empty collection. A range to move must be inside a larger range that is replaced, as content is inside its element. */
export function createMoves(text: string): Moves {
  const edits: Edit[] = []
  return {
    replace(start, end, pieces) {
      edits.push({ start, end, pieces })
    },
    apply() {
      if (edits.length === 0) return text
      // The sort is stable. Insertions come before a replacement that starts at the same position.
      edits.sort((a, b) => a.start - b.start || Number(a.end > a.start) - Number(b.end > b.start))
      return writeMoved(text, edits)
    },
  }
}

/** Keeps the open ranges in a list, because a recursion would overflow on thousands of nested ranges. */
function writeMoved(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  const frames: Frame[] = [{ at: 0, end: text.length, next: 0, pieces: [] }]
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const piece = frame.pieces.pop()
    if (typeof piece === 'string') parts.push(piece)
    else if (piece) frames.push({ at: piece.start, end: piece.end, next: findFirst(edits, piece.start), pieces: [] })
    else if (!advance(text, edits, frame, parts)) frames.pop()
  }
  return parts.join('')
}

/** Writes the text up to the next edit, and takes the pieces of the edit. Returns false at the end of the range. */
function advance(text: string, edits: readonly Edit[], frame: Frame, parts: string[]): boolean {
  let edit = edits[frame.next]
  while (edit && edit.start <= frame.end && (edit.start < frame.at || edit.end > frame.end)) {
    frame.next += 1
    edit = edits[frame.next]
  }
  if (!edit || edit.start > frame.end) {
    parts.push(text.slice(frame.at, frame.end))
    return false
  }
  parts.push(text.slice(frame.at, edit.start))
  frame.at = edit.end
  // Skips the edits inside the replaced range at once, because ranges may be nested deeply.
  frame.next = Math.max(frame.next + 1, edit.end > edit.start ? findFirst(edits, edit.end) : 0)
  frame.pieces = edit.pieces.toReversed()
  return true
}

/** Returns the index of the first edit that starts at or after a position. */
function findFirst(edits: readonly Edit[], position: number): number {
  let low = 0
  let high = edits.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edits[middle]?.start ?? 0) < position) low = middle + 1
    else high = middle
  }
  return low
}
