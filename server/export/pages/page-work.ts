// A long file: the work on a page in a thread, from the received bytes to the file of the bundle.

import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { decodeComponent } from '../../base/path-names.ts'
import { createProductRemoval, type ProductRemoval } from '../../products/product-removal.ts'
import { findAttribute, type HtmlHandler, inTurn, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { createLinkReader, type PageLinks, readPageLinks } from '../../web/html/page-links.ts'
import {
  countMissing,
  createTextReader,
  readPageText,
  readPageWords,
  readScriptRedirect,
  splitWords,
} from '../../web/html/page-text.ts'
import { resolveStreamedContent } from '../../web/html/streamed-content.ts'
import { decodeRaw, type RawText, readRawText } from '../../web/html/text-encoding.ts'
import { expandEmptyElements } from '../../web/html/xhtml.ts'
import { chunkFiles } from '../../web/javascript/chunk-files.ts'
import { scriptFiles } from '../../web/javascript/script-files.ts'
import { scriptNeeds } from '../../web/javascript/script-needs.ts'
import type { Span } from '../model/resource.ts'
import { createExclusions, createSite, type Site } from '../model/site.ts'
import { type BundleMap, createBundleMap } from '../rewrite/bundle-map.ts'
import { findUnresolvedInPage } from '../rewrite/check-links.ts'
import { type PagePlace, rewritePage } from '../rewrite/rewrite-page.ts'
import { appMarkup } from '../runtime/guard-app.ts'
import { guardPage } from '../runtime/guard-page.ts'
import { refusalMarkup } from '../runtime/refuse-scripts.ts'
import { createControlCounter } from './count-controls.ts'
import type { PageWork, PageWorkSetup, ReadPage, ReadTask, WriteSetup, WriteTask, WrittenPage } from './page-tasks.ts'
import { writeTwin } from './page-twin.ts'

export function createPageWork(setup: PageWorkSetup): PageWork {
  const { domain, origin, features, removal, freezesReferences, folder } = setup
  const site = createSite(domain, new URL(origin))
  const products = createProductRemoval(features, removal, site, freezesReferences)
  const refusal = refusalMarkup(removal?.removeScripts ?? [])
  const readWith = (products: ProductRemoval) => createPageReader({ site, products, refusal, spool })
  let readWithout: ReturnType<typeof readWith> | null = null
  const exclusions = createExclusions(removal?.excludePages ?? [], site)
  const spool = createSpool(join(folder, `pages-${threadId}`))
  const spans = createSpanReader()
  const read = readWith(products)
  let writing: PageWriting | null = null
  return {
    read(task) {
      if (!task.removesReferences) return read(task)
      readWithout ??= readWith(createProductRemoval(features, removal, site))
      return readWithout(task)
    },
    beginWriting(setup) {
      writing = { ...setup, map: createBundleMap(site, setup.targets, exclusions), products, spans }
    },
    write(task) {
      if (!writing) throw new Error('beginWriting was not called')
      return writePage(task, writing)
    },
    twin(task) {
      if (!writing) throw new Error('beginWriting was not called')
      return writeTwin(task, writing)
    },
    close() {
      spool.close()
      spans.close()
    },
  }
}

interface PageReading {
  site: Site
  products: ProductRemoval
  /** Markup for the head of pages with scripts. */
  refusal: string
  spool: Spool
}

const inlineScript = { isOwn: true, isInline: true }

/**
 * Creates a function that removes products from a page, stores the page in the spool, and reads its text, links and
 * resources. The stored page still has its streaming instructions, so that a browser shows it as at the origin.
 */
function createPageReader({ site, products, refusal, spool }: PageReading): (task: ReadTask) => ReadPage {
  /** Cleans and reads in one pass, or in two if a product was removed or content was streamed. */
  function readCleaned(raw: RawText, url: URL, isRendered: boolean) {
    const finder = products.find(raw, url)
    const text = createTextReader(raw)
    const links = createLinkReader(raw, url)
    const marks = createMarkReader(raw)
    const tabs = createTabReader(raw)
    const controls = createControlCounter()
    scanHtml(
      raw.text,
      inTurn(finder.handler, text.handler, links.handler, marks.handler, tabs.handler, controls.handler),
    )
    const cleaned = finder.remove(!isRendered, refusal)
    const names = [...cleaned.products].map(({ name }) => name)
    const resolved = resolveStreamedContent(cleaned.raw)
    const read = {
      raw: cleaned.raw,
      names,
      marks: marks.finish(),
      lacksPanels: tabs.finish(),
      controls: controls.finish(),
    }
    if (resolved === raw) return { ...read, text: text.finish(), links: links.finish() }
    return { ...read, text: readPageText(resolved), links: readPageLinks(resolved, url) }
  }

  return ({ bytes, charset, url, isXhtml = false, isRendered, missing }) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const pageUrl = new URL(url)
    const received = readRawText(buffer, charset)
    const raw = isXhtml ? { ...received, text: expandEmptyElements(received.text) } : received
    const page = readCleaned((isRendered ? null : readScriptRedirect(raw)) ?? raw, pageUrl, isRendered)
    const isMissingPage =
      missing !== null && isMissing(missing.words, new URL(missing.asked), readPageWords(page.raw), pageUrl)
    const { base, scripts, importMaps, assets } = page.links
    return {
      isMissing: isMissingPage,
      charset: page.raw.charset,
      span: spool.append(isMissingPage ? '' : page.raw.text),
      sizeBytes: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      text: page.text,
      marks: page.marks,
      lacksPanels: page.lacksPanels,
      controls: page.controls,
      ...listOwnLinks(site, page.links),
      assets: assets.map(({ url, role }) => ({ url: url.href, role })),
      guesses: [...new Set(scripts.flatMap(script => [...scriptFiles(script), ...chunkFiles(script)]))],
      scriptNeeds: scripts.flatMap(script => scriptNeeds(script, { ...inlineScript, url: base })),
      importMaps: importMaps.map(text => ({ text, base: base.href })),
      products: page.names,
    }
  }
}

function listOwnLinks(site: Site, { links, navigation }: PageLinks): Pick<ReadPage, 'links' | 'navigation'> {
  const found = new Map<string, boolean>()
  for (const link of links) {
    const own = site.own(link)
    if (!own || !site.inScope(own)) continue
    own.hash = link.hash
    found.set(own.href, navigation.has(link.href) || found.get(own.href) === true)
  }
  const inNavigation = [...found.values()]
  return { links: [...found.keys()], navigation: inNavigation.flatMap((isInside, at) => (isInside ? [at] : [])) }
}

/** Max differing words, in each direction, for a page to count as the not-found page. */
const maxOwnWords = 3

/**
 * Decides whether a page with status 200 has the same text as the not-found page (the site's answer to a made-up address).
 *
 * @param asked the made-up address.
 */
export function isMissing(missingWords: readonly string[], asked: URL, words: readonly string[], url: URL): boolean {
  // The empty HTML of an app has the same words for all pages; the rendered pages are compared instead.
  if (missingWords.length < 3) return false
  // Not-found pages often repeat the requested address, so its words are ignored on both pages.
  const named = [...pathWords(url), ...pathWords(asked)]
  const isOwn = (word: string) => !named.some(part => word.includes(part))
  const page = words.filter(isOwn)
  const model = missingWords.filter(isOwn)
  // The limit is a count, not a share of words: two short pages with the same long menu are different pages.
  return countMissing(page, model) <= maxOwnWords && countMissing(model, page) <= maxOwnWords
}

function pathWords(url: URL): string[] {
  return splitWords((decodeComponent(url.pathname) ?? url.pathname).replace(/\//g, ' ')).filter(word => word.length > 3)
}

/** Settings and tools for writing all pages of a bundle. */
interface PageWriting extends WriteSetup {
  map: BundleMap
  products: ProductRemoval
  spans: SpanReader
}

/** Rewrites a kept page, checks its addresses, and writes it to its place in the bundle. */
function writePage(task: WriteTask, writing: PageWriting) {
  const { folder, map, paths, loader, hasPacked, hasSearch, stamp, products, spans } = writing
  const { span, charset, url, isRendered, path, sources, losesSearch, guardedAt, app } = task
  const written: WrittenPage = { deadLinks: [], missingFiles: [], unresolved: [], hasFonts: false, hasSprites: false }
  const findings = {
    deadLink: (to: URL, reason: string) => void written.deadLinks.push([to.href, reason]),
    missingFile: (to: URL, reason: string) => void written.missingFiles.push([to.href, reason]),
  }
  const outside = { isOutside: products.leavesOutside, sources }

  function rewrite(raw: RawText, place: Pick<PagePlace, 'page' | 'app' | 'isApp' | 'search'>): RawText {
    const text = rewritePage(raw, { path, map, findings, outside, loader, hasPacked, stamp, ...place })
    const rewritten = { text, charset: raw.charset }
    for (const address of findUnresolvedInPage(rewritten, path, paths, products.leavesOutside))
      written.unresolved.push(address)
    return rewritten
  }

  function writeApp({ span, charset, url }: NonNullable<WriteTask['app']>): string {
    const page = { url: new URL(url), rendered: false }
    const shell = rewrite(readSpan(span, charset), { page, isApp: true })
    return appMarkup(decodeRaw(shell.text, charset), page.url.pathname)
  }

  function readSpan(span: WriteTask['span'], charset: string): RawText {
    return { text: spans.read(span).toString('latin1'), charset }
  }

  const page = { url: new URL(url), rendered: isRendered }
  const search = hasSearch ? (losesSearch ? 'instead' : 'beside') : null
  const content = resolveStreamedContent(readSpan(span, charset))
  const rewritten = rewrite(content, { page, search, app: app && writeApp(app) })
  written.hasFonts = /@font-face/i.test(rewritten.text)
  written.hasSprites = /\.svg[#?]/i.test(rewritten.text) && /<use\s/i.test(rewritten.text)
  const finished = guardedAt === null ? rewritten.text : guardPage(rewritten, path, guardedAt)
  writeFileSync(join(folder, path), finished, 'latin1')
  return written
}

/** A file to which one thread appends pages. */
interface Spool {
  /** @param text one character per byte. */
  append(text: string): Span
  close(): void
}

/** Creates a spool. Its file is created with the first page. */
function createSpool(file: string): Spool {
  let descriptor: number | null = null
  let end = 0
  return {
    append(text) {
      if (descriptor === null) {
        mkdirSync(dirname(file), { recursive: true })
        descriptor = openSync(file, 'w')
      }
      const bytes = Buffer.from(text, 'latin1')
      const start = end
      for (let written = 0; written < bytes.length; )
        written += writeSync(descriptor, bytes, written, undefined, start + written)
      end += bytes.length
      return { file, start, sizeBytes: bytes.length }
    },
    close() {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

export async function readSpan({ file, start, sizeBytes }: Span): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sizeBytes), 0, sizeBytes, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Reads spans synchronously. Files stay open until `close`. */
interface SpanReader {
  read(span: Span): Buffer
  close(): void
}

function createSpanReader(): SpanReader {
  const descriptors = new Map<string, number>()
  return {
    read({ file, start, sizeBytes }) {
      const descriptor = descriptors.get(file) ?? openSync(file, 'r')
      descriptors.set(file, descriptor)
      const bytes = Buffer.allocUnsafe(sizeBytes)
      return bytes.subarray(0, readSync(descriptor, bytes, 0, sizeBytes, start))
    },
    close() {
      for (const descriptor of descriptors.values()) closeSync(descriptor)
      descriptors.clear()
    },
  }
}

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
        const { name } = tag
        opened = tag
        if (special.test(name)) add(name)
        if (layouts.has(name)) addClasses(tag, name)
        if (tag.isPlain) return
        const { source } = tag
        if (source.includes(' data-'))
          for (const [, attribute = ''] of source.matchAll(/\s(data-[\w-]+)/g)) add(attribute)
        if (source.includes(' on')) for (const [, event = ''] of source.matchAll(/\s(on[a-z]+)\s*=/g)) add(event)
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
        if (tag.isPlain || !tag.source.includes('role=')) return
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
