const minWidth = 40

/** A command, which the single binary names without npx, up to the end of its sentence or of its part of a list; or a word. */
const parts = /(?:npx )?(?<![\w./-])quire\b(?!\.\w|[/-]).*?[.,;]?(?=$|(?<=[.,;])\s)|\S+/g

/**
 * Splits prose into lines of at most `width` characters, only at spaces. A word and a command `npx quire ...` are never split,
 * even if they are longer, because readers paste addresses and commands.
 */
export function wrapProse(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const [part] of text.matchAll(parts)) {
    const longer = line === '' ? part : `${line} ${part}`
    if (line === '' || longer.length <= width) line = longer
    else {
      lines.push(line)
      line = part
    }
  }
  return [...lines, line]
}

/** Wraps prose for a terminal. Files and other programs get it in one line. */
export function fitTerminal(text: string, { isTTY, columns }: { isTTY?: boolean; columns?: number }): string {
  if (!isTTY || columns === undefined) return text
  return wrapProse(text, Math.max(minWidth, columns)).join('\n')
}
