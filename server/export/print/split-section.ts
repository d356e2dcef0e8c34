import { scanHtml } from '../../web/html/html-scan.ts'
import { createOpenElements, type OpenElement } from '../../web/html/open-elements.ts'

const endings = new Set(['p', 'div', 'section', 'article', 'ul', 'ol', 'li', 'dl', 'dd', 'table', 'tr', 'pre'])
const whole = new Set(['pre', 'svg', 'math'])

/** Splits a long section between two blocks. The elements around a split are closed, and opened again in the next piece. */
export function splitSection(html: Buffer, maxBytes: number): Buffer[] {
  if (html.length <= maxBytes) return [html]
  const text = html.toString('latin1')
  const open: { name: string; source: string }[] = []
  const pieces: string[] = []
  let from = 0
  let before = ''
  const elements = createOpenElements<OpenElement>(() => open.pop())
  scanHtml(text, {
    tag(tag) {
      const element = { name: tag.name, start: tag.start, contentStart: tag.end }
      if (!elements.openTag(element, text[tag.end - 2] === '/')) return
      open.push({ name: tag.name, source: tag.source.replace(/ id="[^"]*"/, '') })
    },
    closeTag(name, start) {
      const end = text.indexOf('>', start) + 1
      elements.closeTag(name, start, end)
      const isWhole = open.length === 0 || open.some(each => whole.has(each.name))
      if (end - from < maxBytes || !endings.has(name) || isWhole) return
      const closing = open.map(each => `</${each.name}>`).reverse()
      pieces.push(before + text.slice(from, end) + closing.join(''))
      before = open.map(({ source }) => source).join('')
      from = end
    },
  })
  return [...pieces, before + text.slice(from)].map(piece => Buffer.from(piece, 'latin1'))
}
