import { scanHtml } from './html-scan.ts'
import { decodeRaw, type RawText } from './text-encoding.ts'

const literal = /<(?:xmp|plaintext|noembed|noframes)[\s>]/i

/**
 * Writes the visible text of a page in an old encoding as ASCII, such as `&#233;` for é. Many servers send UTF-8 as the
 * charset of every page, and the header overrides the page's declaration. These parts stay unchanged: scripts and styles,
 * which have no such escapes; encodings with shift states, whose bytes look like markup; and pages with elements that show
 * entities literally.
 */
export function writeAsAscii({ text, charset }: RawText): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
  if (charset === 'utf-8' || charset === 'iso-2022-jp' || !/[^\x00-\x7f]/.test(text) || literal.test(text)) return text
  const parts: string[] = []
  let from = 0
  scanHtml(text, {
    rawText(_tag, start, end) {
      parts.push(asEntities(text.slice(from, start), charset), text.slice(start, end))
      from = end
    },
  })
  parts.push(asEntities(text.slice(from), charset))
  return parts.join('')
}

function asEntities(raw: string, charset: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
  return decodeRaw(raw, charset).replace(/[^\x00-\x7f]/gu, character => `&#${character.codePointAt(0)};`)
}
