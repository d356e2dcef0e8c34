import { decodeHTMLAttribute } from 'entities'
import { scanHtml } from './html-scan.ts'

/**
 * Text of a page or style sheet as latin1. One character is one byte, so offsets are byte offsets and unchanged parts keep
 * their bytes in any encoding.
 */
export interface RawText {
  text: string
  /** The encoding label used by TextDecoder. */
  charset: string
}

/** Reads bytes as raw text. UTF-16 becomes UTF-8, because its tags are not ASCII. Priority: BOM, header, meta element. */
export function readRawText(bytes: Buffer, headerCharset: string | null): RawText {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { text: bytes.toString('latin1'), charset: 'utf-8' }
  }
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
  const fromHeader = knownCharset(headerCharset)
  if (utf16 || fromHeader?.startsWith('utf-16')) {
    const decoded = new TextDecoder(utf16 ?? fromHeader ?? 'utf-16le').decode(bytes)
    return { text: Buffer.from(decoded).toString('latin1'), charset: 'utf-8' }
  }
  // HTML looks for the declaration in the first 1024 bytes.
  const fromMeta = knownCharset(declaredCharset(bytes.toString('latin1', 0, 1024)))
  const charset = fromHeader ?? (fromMeta?.startsWith('utf-16') ? 'utf-8' : fromMeta) ?? guessCharset(bytes)
  return { text: bytes.toString('latin1'), charset }
}

/** Returns the last charset of the first meta element that names one. */
function declaredCharset(head: string): string | null {
  for (const [, attributes = ''] of head.matchAll(/<meta[^>]([^>]*)/gi)) {
    const named = [...attributes.matchAll(/charset(?=\s*=\s*(?:["']\s*)?([\w:.-]+))/gi)].at(-1)?.[1]
    if (named !== undefined) return named
  }
  return null
}

/** Returns the charset parameter of a Content-Type, or null if there is none. */
export function headerCharset(contentType: string): string | null {
  return /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1] ?? null
}

/** Converts text, such as that of a srcdoc attribute, to raw text. */
export function rawOf(text: string): RawText {
  return { text: Buffer.from(text).toString('latin1'), charset: 'utf-8' }
}

/** Decodes a part of raw text to characters. */
export function decodeRaw(raw: string, charset: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
  if (!/[^\x00-\x7f]/.test(raw)) return raw
  const bytes = Buffer.from(raw, 'latin1')
  return charset === 'utf-8' ? bytes.toString() : new TextDecoder(charset).decode(bytes)
}

/** Encodes characters as raw text. In encodings that Node cannot write, characters outside ASCII become `entity(code)`. */
export function encodeRaw(text: string, charset: string, entity: (codePoint: number) => string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
  if (!/[^\x00-\x7f]/.test(text)) return text
  if (charset === 'utf-8') return Buffer.from(text).toString('latin1')
  return Array.from(text, character => {
    const code = character.codePointAt(0) ?? 0
    return code < 128 ? character : entity(code)
  }).join('')
}

/** Decodes the encoding and the entities of a raw attribute value. */
export function decodeAttribute(raw: string, charset: string): string {
  const text = decodeRaw(raw, charset)
  return text.includes('&') ? decodeHTMLAttribute(text) : text
}

/** Encodes a value for an attribute in double quotes. */
export function encodeAttribute(value: string, charset: string): string {
  const escaped = value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  return encodeRaw(escaped, charset, code => `&#${code};`)
}

function knownCharset(label: string | null): string | null {
  if (!label) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/**
 * Guesses the charset of pages without a declaration, as browsers do. Nearly all of these pages are UTF-8 or windows-1252.
 */
function guessCharset(bytes: Buffer): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

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
