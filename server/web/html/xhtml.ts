/** Elements that have no content in HTML either. */
const empty = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i
const closesItself = /<([A-Za-z][\w:.-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'))?)*)\s*\/>/g
/** What stands in these is no markup. */
const quoted = [
  { open: '<!--', close: '-->' },
  { open: '<![CDATA[', close: ']]>' },
]

/**
 * Markup of XHTML that means the same to a reader of HTML, as which a static server gives it out: an element that closes
 * itself gets an end tag. Comments and sections of character data stay as they are.
 *
 * @param text as latin1.
 */
export function expandEmptyElements(text: string): string {
  const parts: string[] = []
  let at = 0
  let ahead = quoted.map(({ open, close }) => ({ open, close, start: text.indexOf(open) }))
  for (;;) {
    // What is not found once is not looked for again: without it a page of opened comments takes quadratic time.
    ahead = ahead
      .map(each => (each.start !== -1 && each.start < at ? { ...each, start: text.indexOf(each.open, at) } : each))
      .filter(({ start }) => start !== -1)
    const next = ahead.reduce<(typeof ahead)[number] | null>((a, b) => (a && a.start <= b.start ? a : b), null)
    parts.push(expand(text.slice(at, next?.start)))
    if (!next) return parts.join('')
    const end = text.indexOf(next.close, next.start + next.open.length)
    at = end === -1 ? text.length : end + next.close.length
    parts.push(text.slice(next.start, at))
  }
}

function expand(markup: string): string {
  return markup.replace(closesItself, (all, name: string, attributes: string) =>
    empty.test(name) ? all : `<${name}${attributes}></${name}>`,
  )
}
