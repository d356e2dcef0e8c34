/** Control characters, line separators and marks that turn the direction of text: a terminal obeys them. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Whether a text has characters that `escapeControls` replaces. */
export function hasControls(text: string): boolean {
  return text.search(controls) >= 0
}

/** Writes control characters as escapes, such as `\n` and `\u001b`, so that a terminal shows them and does not obey them. */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, toEscape)
}

/** The same for text of several lines: line breaks stay. */
export function escapeControlsInLines(text: string): string {
  return text.replaceAll(controls, character => (character === '\n' ? character : toEscape(character)))
}

function toEscape(character: string): string {
  return named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
