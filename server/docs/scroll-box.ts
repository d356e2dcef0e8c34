import { escapeHtml } from './escape-html.ts'

// Code and tables are the only things wider than a small screen. They scroll inside themselves, so they take the focus:
// otherwise nobody could scroll them with the keyboard.

export function wrapCode(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`
}

export function wrapTable(table: string): string {
  return `<div class="wide" role="group" aria-label="Table" tabindex="0">${table}</div>`
}
