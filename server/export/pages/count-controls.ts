import type { HtmlHandler } from '../../web/html/html-scan.ts'

const contents = new Set(['main', 'article'])

/** Counts the buttons in the content of a page, except those that copy code. Scripts may show more text when one is pressed. */
export function createControlCounter(): { handler: HtmlHandler; finish(): number } {
  let depth = 0
  let count = 0
  return {
    handler: {
      tag({ name, source }) {
        if (contents.has(name)) depth += 1
        const isControl = name === 'button' || source.includes('aria-expanded')
        if (depth > 0 && isControl && !/copy/i.test(source)) count += 1
      },
      closeTag(name) {
        if (contents.has(name) && depth > 0) depth -= 1
      },
    },
    finish: () => count,
  }
}
