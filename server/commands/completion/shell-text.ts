/** Quotes a text for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The first sentence of a description in one line, because shells show it beside the word. */
export function shorten(description: string): string {
  const line = description.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 3).trimEnd()}...`
}

const maxLength = 100
