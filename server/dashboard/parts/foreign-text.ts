import { escapeControlsInLines } from '../../base/escape-controls.ts'

/**
 * Returns a text of a program or a stranger for a page: control characters and marks that turn the direction of text become escapes,
 * so that a line looks as it is. Tabs and line breaks stay.
 */
export function toForeignText(text: string): string {
  return text.split('\t').map(escapeControlsInLines).join('\t')
}
