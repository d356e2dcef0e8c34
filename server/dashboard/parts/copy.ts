import { html, type Markup } from './html.ts'

/** A button that copies a text. Without scripts it is not shown, because the text beside it can be selected. */
export function copyButton(text: string, { label, name }: { label: string; name: string }): Markup {
  return html`<button type="button" class="copy" data-copy="${text}" aria-label="${name}" hidden>${label}</button>`
}
