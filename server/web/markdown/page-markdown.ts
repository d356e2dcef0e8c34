import { posix } from 'node:path'
import { decodeComponent } from '../../base/path-names.ts'
import { decodeRaw, type RawText } from '../html/text-encoding.ts'
import { writeBlocks } from './blocks.ts'
import { readText } from './inline.ts'
import { type PageTree, readPageTree, toLine } from './page-tree.ts'
import { createTabLists } from './tabs.ts'

/** A page as Markdown. */
export interface MarkdownPage {
  /** The main heading, or else the title. */
  title: string
  /** From the head of the page; '' = it has none. */
  description: string
  /** With its front matter, and a line break at its end. */
  text: string
}

export interface MarkdownPlace {
  /** Path of the page in the bundle. */
  path: string
  /** Address of the page on its site; null = unknown. */
  address: string | null
  /** Returns whether a page of the bundle has a twin; `path` is relative to the root of the bundle. */
  hasTwin(path: string): boolean
}

/** Returns the path of the Markdown twin of a page: `a/b.md` for `a/b.html`. */
export function twinPath(path: string): string {
  return path.replace(/\.x?html?$/i, '.md')
}

/** Returns a heading without the signs of links at its end. */
function withoutSigns(heading: string): string {
  let end = heading.length
  while (end > 0 && /[\s¶#§\u200b\ue000-\uf8ff]/.test(heading[end - 1] as string)) end -= 1
  return heading.slice(0, end)
}

/** Writes the content of a page as Markdown. Links to pages with a twin lead to the twin. */
export function writeMarkdown(raw: RawText, place: MarkdownPlace): MarkdownPage {
  const tree = readPageTree(decodeRaw(raw.text, raw.charset))
  const heading = findHeading(tree)
  const title = heading || tree.title
  const description = tree.meta.get('description') ?? tree.meta.get('og:description') ?? ''
  const date = findDate(tree)
  const blocks = writeBlocks(tree.content.children, { address: createAddress(place), tabs: createTabLists() })
  const facts = [
    `title: ${JSON.stringify(title)}`,
    ...(place.address === null ? [] : [`url: ${place.address}`]),
    ...(date === null ? [] : [`date: ${date}`]),
  ]
  // A page without a main heading would not say what it is about.
  const first = blocks.find(block => block.startsWith('#'))?.replace(/^#+ /, '') ?? ''
  const isNamed = heading || title === '' || (first !== '' && title.startsWith(first))
  const start = isNamed ? [] : [`# ${title}`]
  return { title, description, text: `---\n${facts.join('\n')}\n---\n\n${[...start, ...blocks].join('\n\n')}\n` }
}

/** Returns the main heading; '' = none, such as on a page with one for each section. */
function findHeading({ title, headings: [first, ...others] }: PageTree): string {
  const heading = first ? withoutSigns(toLine(readText(first))) : ''
  return others.length === 0 || title === '' || title.includes(heading) ? heading : ''
}

const dateNames = ['article:modified_time', 'last-modified', 'dcterms.modified', 'dc.date.modified', 'og:updated_time']

/** Returns the day on which the page was changed, as it says; null = it does not say. */
function findDate({ meta, time }: PageTree): string | null {
  const given = dateNames.map(name => meta.get(name)).find(Boolean) ?? time
  return /^\d{4}-\d\d-\d\d/.exec(given)?.[0] ?? null
}

/** Returns a function that leads links to twins. Addresses of the bundle are relative to the page. */
function createAddress({ path, hasTwin }: MarkdownPlace): (href: string) => string | null {
  const folder = posix.dirname(path)
  return href => {
    if (/^(?:javascript|data|blob|file):/i.test(href)) return null
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(href)) return href
    const [, name = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? []
    if (!/\.x?html?$/i.test(name)) return href
    const target = decodeComponent(name)
    return target !== null && hasTwin(posix.join(folder, target)) ? twinPath(name) + rest : href
  }
}
