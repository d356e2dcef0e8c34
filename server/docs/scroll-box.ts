import { escapeHtml } from './escape-html.ts'

// Only code and tables can be wider than a small screen. They scroll separately, and are focusable so that the keyboard can
// scroll them. A script adds a button beside the code, which must not scroll.

export function wrapCode(text: string): string {
  return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`
}

export function wrapTable(table: string): string {
  return `<div class="wide" role="group" aria-label="Table" tabindex="0">${table}</div>`
}
