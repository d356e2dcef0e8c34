/** A piece of HTML that `html` built, so its texts are escaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What `html` accepts between its texts; null, undefined and false give nothing. */
export type Fragment = string | number | Markup | null | undefined | false | readonly Fragment[]

/**
 * Builds HTML. Each value is escaped, unless it is `Markup` itself, so no text of a visitor, a page or a log can become an element.
 * Values stand between tags or in quoted attributes, never in a script, a style or an attribute without quotes.
 */
export function html(texts: TemplateStringsArray, ...values: Fragment[]): Markup {
  let text = texts[0] ?? ''
  for (const [at, value] of values.entries()) text += write(value) + (texts[at + 1] ?? '')
  return new Markup(text)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function write(value: Fragment): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(write).join('')
  return String(value).replaceAll(/[&<>"']/g, character => escapes[character] ?? '')
}
