import { findAttribute, type HtmlHandler, type Tag } from './html-scan.ts'
import type { RawText } from './text-encoding.ts'

/** Max marks of one page. */
const maxMarks = 64
/** Elements that scripts fill when the server sends them empty. */
const fillable = /^(?:article|aside|canvas|div|figure|main|nav|ol|p|section|table|tbody|ul)$|-/
/** Elements that scripts or browsers treat in a special way. Outlines list only some levels of headings. */
const special = /^(?:h[1-6]|audio|canvas|details|dialog|form|iframe|math|object|table|video)$|-/
/** Elements whose classes tell the layout of a page. */
const layouts = new Set(['body', 'main', 'article'])

/**
 * Collects the marks by which pages of a site differ for scripts: levels of headings, custom and other special elements, data
 * attributes, event attributes, search fields, empty elements that scripts may fill, and classes of the layout. Pages with the same marks are alike. Marks are
 * numbers, because an export keeps those of all pages.
 */
export function createMarkReader({ text }: RawText): { handler: HtmlHandler; finish(): number[] } {
  const names = new Set<string>()
  let opened: Tag | null = null

  function add(name: string): void {
    // Numbers count pages or parts of a page: chart-1 and chart-2 are alike.
    if (names.size < maxMarks) names.add(name.replace(/\d+/g, '#'))
  }

  function addClasses(tag: Tag, kind: string): void {
    for (const name of ['class', 'id']) {
      const attribute = findAttribute(tag, name)
      if (attribute)
        for (const word of text.slice(attribute.start, attribute.end).split(/\s+/)) add(`${kind} ${name} ${word}`)
    }
  }

  return {
    handler: {
      tag(tag) {
        const { name, source } = tag
        opened = tag
        if (special.test(name)) add(name)
        if (source.includes(' data-'))
          for (const [, attribute = ''] of source.matchAll(/\s(data-[\w-]+)/g)) add(attribute)
        if (source.includes(' on')) for (const [, event = ''] of source.matchAll(/\s(on[a-z]+)\s*=/g)) add(event)
        if (layouts.has(name)) addClasses(tag, name)
        if (name === 'input' && /type=["']?search/i.test(source)) add('search')
      },
      closeTag(name, start) {
        const tag = opened
        opened = null
        if (tag?.name !== name || !fillable.test(name) || text.slice(tag.end, start).trim() !== '') return
        add(`empty ${name}`)
        addClasses(tag, 'empty')
      },
    },
    finish: () => [...names].map(hash).sort((a, b) => a - b),
  }
}

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
function hash(name: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) value = Math.imul(value ^ name.charCodeAt(at), 0x01000193)
  return value >>> 0
}
