import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeComponent } from '../../base/path-names.ts'
import { decodeRaw, encodeAttribute, type RawText, rawOf, readRawText } from '../../web/html/text-encoding.ts'
import { findStart, isPageFile, isSitePage, listFiles } from '../check/bundle-files.ts'
import { readPageSections } from '../search/page-sections.ts'
import { rewriteContent } from './page-content.ts'
import { orderPages, type PageLinks } from './site-order.ts'

/** The pages of a bundle, ready to be written one after the other into one file. */
export interface OneFile {
  /** In the order of the site's navigation. `id` is that of the page in the file. */
  pages: { id: string; path: string; title: string; language: string }[]
  /** Returns a page as a section in HTML. */
  write(index: number, addresses: FileAddresses): Promise<Section>
}

export interface FileAddresses {
  /** Returns the address of a picture of the bundle. */
  picture(path: string): string
  /** Returns the address of a place in the file. */
  place(id: string): string
}

export interface Section {
  html: Buffer
  /** Ids in the section to which links lead, including that of the page. */
  anchors: ReadonlySet<string>
}

/** Where the files of a bundle are while its pages are read and printed. */
export const root = 'http://localhost/'

/** Reads the pages of an unpacked bundle, their order, and the places to which their links lead. */
export async function openOneFile(folder: string, signal: AbortSignal): Promise<OneFile> {
  const { files, links, heads, places, ids } = await readPages(folder, signal)
  const ordered = orderPages(links, findStart([...links.keys()]))
  const pages = ordered.map((path, index) => ({
    id: `p${index + 1}`,
    path,
    ...(heads.get(path) as { title: string; language: string }),
  }))
  const idOf = new Map(pages.map(({ id, path }) => [path, id]))
  const anchorOf = (path: string, id: string) => {
    const place = places.get(`${path}#${id}`)
    return place === undefined || !ids.has(`${path}#${id}`) ? null : `${idOf.get(path)}-${place}`
  }
  return {
    pages,
    async write(index, { picture, place }) {
      const { id, path, title, language } = pages[index] as OneFile['pages'][number]
      const anchors = new Set([id])
      const html = rewriteContent((await readPage(folder, path)).text, {
        anchor(name) {
          const anchor = anchorOf(path, name)
          if (anchor === null || anchors.has(anchor)) return null
          anchors.add(anchor)
          return anchor
        },
        link(href) {
          const target = resolve(href, path)
          if (target === null) return /^(?:https?|mailto|tel):/i.test(href) ? href : null
          const page = idOf.get(target.path)
          return page === undefined ? null : place(anchorOf(target.path, target.id) ?? page)
        },
        picture(source) {
          if (source.startsWith('data:')) return source
          const target = resolve(source, path)
          const found = target && files.has(target.path) ? picture(target.path) : null
          return found === null ? null : `${found}${target?.id ? `#${encodeURIComponent(target.id)}` : ''}`
        },
      })
      const heading = /<h1[\s>]/.test(html) ? '' : `<h1>${encodeAttribute(title, 'utf-8')}</h1>`
      const lang = language === '' ? '' : ` lang="${language}"`
      return {
        html: Buffer.from(`<section id="${id}" class="quire-page"${lang}>${heading}${html}</section>\n`, 'latin1'),
        anchors,
      }
    },
  }
}

/** Reads the titles of all pages, and where their links lead. */
async function readPages(folder: string, signal: AbortSignal) {
  const { paths } = await listFiles(folder)
  const files = new Set(paths)
  const links = new Map<string, PageLinks>()
  const heads = new Map<string, { title: string; language: string }>()
  /** Places to which links lead, as `path#id`, with their ids in the file. */
  const places = new Map<string, string>()
  const ids = new Set<string>()
  for (const path of paths) {
    signal.throwIfAborted()
    if (!isPageFile(path) || path === '404.html') continue
    const raw = await readPage(folder, path)
    if (!isSitePage(path, raw.text)) continue
    const { name, language } = readPageSections(raw)
    heads.set(path, { title: name || path, language })
    links.set(path, readLinks(raw.text, path, files, { places, ids }))
  }
  return { files, links, heads, places, ids }
}

/** Returns the text of a page in UTF-8, read as latin1. */
async function readPage(folder: string, path: string): Promise<RawText> {
  const raw = readRawText(await readFile(join(folder, path)), null)
  return raw.charset === 'utf-8' ? raw : rawOf(decodeRaw(raw.text, raw.charset))
}

/** Reads where the links of a page lead. Only what a page has, and what links name, becomes a place in the file. */
function readLinks(
  text: string,
  path: string,
  files: ReadonlySet<string>,
  { places, ids }: { places: Map<string, string>; ids: Set<string> },
): PageLinks {
  const found: PageLinks = { next: null, around: [], inside: [] }
  /** An index, the copyright and the like are no part of the order. */
  const aside = new Set<string>()
  const follow = (href: string) => {
    const target = resolve(href, path)
    return target && files.has(target.path) ? target : null
  }
  rewriteContent(text, {
    anchor(id) {
      ids.add(`${path}#${id}`)
      return null
    },
    picture: () => null,
    link(href) {
      const target = follow(href)
      if (target && target.path !== path) found.inside.push(target.path)
      if (target?.id) places.set(`${target.path}#${target.id}`, String(places.size))
      return null
    },
    around(href, rel) {
      const target = follow(href)
      if (!target || /^link .*\b(?:index|search|copyright|license)\b/.test(rel)) aside.add(target?.path ?? '')
      else if (/\bnext\b/.test(rel)) found.next = target.path
      else if (!rel.startsWith('link') && !aside.has(target.path)) found.around.push(target.path)
    },
  })
  return found
}

/** Returns the file of the bundle to which an address leads, and its fragment; null = the address is no file of the bundle. */
function resolve(href: string, from: string): { path: string; id: string } | null {
  const url = URL.parse(href, root + from.split('/').map(encodeURIComponent).join('/'))
  if (!url?.href.startsWith(root)) return null
  const path = decodeComponent(url.pathname.slice(1))
  const id = decodeComponent(url.hash.slice(1)) ?? url.hash.slice(1)
  return path === null ? null : { path, id }
}
