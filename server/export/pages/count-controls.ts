import type { HtmlHandler } from '../../web/html/html-scan.ts'

const contents = new Set(['main', 'article'])

/** Counts the buttons in the content of a page, except those that copy code. Scripts may show more text when one is pressed. */
export function createControlCounter(): { handler: HtmlHandler; finish(): number } {
  let depth = 0
  let count = 0
  return {
    handler: {
      tag(tag) {
        if (contents.has(tag.name)) depth += 1
        if (depth === 0) return
        const isControl = tag.name === 'button' || (!tag.isPlain && tag.source.includes('aria-expanded'))
        if (isControl && !/copy/i.test(tag.source)) count += 1
      },
      closeTag(name) {
        if (contents.has(name) && depth > 0) depth -= 1
      },
    },
    finish: () => count,
  }
}
