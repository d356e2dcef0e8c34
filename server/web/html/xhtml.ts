/** Elements without content in HTML. */
const empty = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i
const closesItself = /<([A-Za-z][\w:.-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'))?)*)\s*\/>/g
/** Sections whose content is not markup. */
const quoted = [
  { open: '<!--', close: '-->' },
  { open: '<![CDATA[', close: ']]>' },
]

/**
 * Rewrites XHTML to have the same meaning when a static server sends it as HTML: self-closing elements get an end tag.
 * Comments and CDATA sections stay unchanged.
 *
 * @param text as latin1.
 */
export function expandEmptyElements(text: string): string {
  const parts: string[] = []
  let at = 0
  let ahead = quoted.map(({ open, close }) => ({ open, close, start: text.indexOf(open) }))
  for (;;) {
    // A section that was not found is not searched again. Otherwise, many unclosed comments would take quadratic time.
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
