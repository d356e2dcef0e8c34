import { posix } from 'node:path'
import { Marked } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { docsPath, findPagePath } from './pages.ts'
import { relativePath } from './relative-path.ts'
import { wrapCode, wrapTable } from './scroll-box.ts'

/** The place of a text: its links are relative to its file, and become relative to its page. */
export interface TextPlace {
  /** Path of the file from the top folder of the repository. */
  file: string
  /** Path under which the page is served. */
  path: string
}

/** Turns Markdown into HTML. Links to files of the repository become links to pages, or plain text if there is no page. */
export function renderMarkdown(text: string, place: TextPlace): string {
  const ids = new Map<string, number>()
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${uniqueId(ids, text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = findTarget(href, place)
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
      },
      // Pictures show these pages to readers of the repository, so the pages leave them out.
      image: () => '',
      codespan: ({ text }) => `<code>${text.split(' ').map(keepTogether).join(' ')}</code>`,
      code: ({ text }) => `${wrapCode(text)}\n`,
    },
  })
  const html = markdown.parse(text, { async: false })
  return html.replaceAll(/<table>[\s\S]*?<\/table>/g, wrapTable).replaceAll('<p></p>\n', '')
}

/** Keeps a flag such as --help from being broken after its hyphens. */
function keepTogether(word: string): string {
  const maxCharacters = 32
  const isFlag = word.includes('-') && word.length <= maxCharacters
  return isFlag ? `<span>${escapeHtml(word)}</span>` : escapeHtml(word)
}

function findTarget(href: string, { file, path }: TextPlace): string | undefined {
  // Local addresses are examples; as links they would lead out of the documentation, or nowhere.
  if (/^https?:\/\/(127\.0\.0\.1|localhost)\b/.test(href)) return undefined
  if (/^(https?:|#)/.test(href)) return href
  const [name = '', fragment] = href.split('#')
  const page = findPagePath(posix.join(posix.dirname(file), name))
  if (page === undefined) return undefined
  return `${relativePath(path, docsPath + page)}${fragment === undefined ? '' : `#${fragment}`}`
}

/** Creates the same ids as repository viewers, so that links to headings work in both. */
function uniqueId(ids: Map<string, number>, text: string): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  const count = ids.get(id) ?? 0
  ids.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}
