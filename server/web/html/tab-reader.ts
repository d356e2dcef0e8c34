import { findAttribute, type HtmlHandler, type Tag } from './html-scan.ts'
import type { RawText } from './text-encoding.ts'

/**
 * Decides whether a page has tabs without a panel: some frameworks write only the panel of the selected tab, and build the
 * others after a click. Pages with as many filled panels as tabs are complete.
 */
export function createTabReader({ text }: RawText): { handler: HtmlHandler; finish(): boolean } {
  let tabs = 0
  let panels = 0
  let opened: Tag | null = null
  return {
    handler: {
      tag(tag) {
        opened = null
        if (!tag.source.includes('role=')) return
        const role = findAttribute(tag, 'role')
        const name = role && text.slice(role.start, role.end).trim().toLowerCase()
        if (name === 'tab') tabs += 1
        if (name !== 'tabpanel') return
        panels += 1
        opened = tag
      },
      closeTag(name, start) {
        // An empty panel waits for its content.
        if (opened?.name === name && text.slice(opened.end, start).trim() === '') panels -= 1
        opened = null
      },
    },
    finish: () => tabs > 1 && panels > 0 && tabs > panels,
  }
}
