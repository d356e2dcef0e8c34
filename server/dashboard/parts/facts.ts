import { type Fragment, html, type Markup } from './html.ts'

/** A list of names and values. A value that is undefined, null or false leaves its line out. */
export function factList(facts: readonly (readonly [name: string, value: Fragment])[]): Markup {
  const lines = facts.filter(([, value]) => value !== undefined && value !== null && value !== false)
  return html`<dl class="facts">${lines.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}
