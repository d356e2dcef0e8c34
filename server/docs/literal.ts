/** How a programming language writes values. */
export interface Notation {
  text(value: string): string
  /** A name in an object. */
  name(name: string): string
  /** A number, a boolean or null. */
  word(value: unknown): string
  /** One step. */
  indent: string
  /** Around an object on one line. */
  open: string
  close: string
}

const maxWidth = 72

/** Writes a JSON value as a literal, over several lines if it is long. */
export function writeLiteral(value: unknown, notation: Notation): string {
  if (typeof value === 'string') return notation.text(value)
  if (value === null || typeof value !== 'object') return notation.word(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map(each => writeLiteral(each, notation))
    : Object.entries(value).map(([name, each]) => `${notation.name(name)}: ${writeLiteral(each, notation)}`)
  const [open, close] = isList ? ['[', ']'] : [notation.open, notation.close]
  const line = parts.length === 0 ? `${open}${close}`.replace(/\s+/, '') : `${open}${parts.join(', ')}${close}`
  if (line.length <= maxWidth && !line.includes('\n')) return line
  const lines = parts.map(part => `${notation.indent}${part.replaceAll('\n', `\n${notation.indent}`)},`)
  return `${open.trim()}\n${lines.join('\n')}\n${close.trim()}`
}
