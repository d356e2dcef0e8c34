import { decodeHTML } from 'entities'
import { type Attribute, findAttribute, scanHtml } from './html-scan.ts'
import { decodeAttribute, decodeRaw, type RawText } from './text-encoding.ts'

/** How a page describes itself. */
export interface PageHead {
  /** Null = none. */
  title: string | null
  /** The program that made the page, by its meta element, such as `Docusaurus v3.5.2`; null = none. */
  generator: string | null
}

const maxCharacters = 200

/** Reads the first title and the first generator of a page; each is cut to 200 characters on one line. */
export function readPageHead({ text, charset }: RawText): PageHead {
  const head: PageHead = { title: null, generator: null }
  let isInTitle = false
  const decode = ({ start, end }: Attribute) => decodeAttribute(text.slice(start, end), charset)
  scanHtml(text, {
    tag(tag) {
      isInTitle = tag.name === 'title' && head.title === null
      if (tag.name !== 'meta' || head.generator !== null) return
      const name = findAttribute(tag, 'name')
      const content = findAttribute(tag, 'content')
      if (name && content && decode(name).toLowerCase() === 'generator') head.generator = toLine(decode(content))
    },
    text(start, end) {
      if (isInTitle) head.title = toLine(`${head.title ?? ''}${decodeHTML(decodeRaw(text.slice(start, end), charset))}`)
    },
    closeTag() {
      isInTitle = false
    },
  })
  return { title: head.title || null, generator: head.generator || null }
}

/** Reads the first heading of the first level that has a text, like the title; null = none. */
export function readMainHeading({ text, charset }: RawText): string | null {
  let found = ''
  let isInside = false
  scanHtml(text, {
    tag({ name }) {
      if (name === 'h1') isInside = found === ''
    },
    text(start, end) {
      if (isInside) found = toLine(`${found} ${decodeHTML(decodeRaw(text.slice(start, end), charset))}`)
    },
    closeTag(name) {
      if (name === 'h1') isInside = false
    },
  })
  return found || null
}

/** Control characters become spaces, because a terminal would obey them. */
function toLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, maxCharacters)
}
