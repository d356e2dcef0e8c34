// A long file: what an export removes of products, and how their parts of a page are found and removed.
import type { FrozenReference, NamedReference } from '../in-page/browser/reference-signs.ts'
import type { Feature, RemovalRules } from '../tenancy/removal-rules.ts'
import { type Attribute, type HtmlHandler, scanHtml, type Tag } from '../web/html/html-scan.ts'
import { createOpenElements, type OpenElement } from '../web/html/open-elements.ts'
import { documentBase, urlAttributes } from '../web/html/page-links.ts'
import { isExecutable } from '../web/html/page-text.ts'
import type { ElementView } from '../web/html/selector.ts'
import { createSplices } from '../web/html/splice.ts'
import { srcsetCandidates } from '../web/html/srcset.ts'
import { decodeAttribute, decodeRaw, type RawText } from '../web/html/text-encoding.ts'
import type { Features } from './features.ts'
import { sourcesOf } from './product-sources.ts'
import {
  authorMark,
  createRecognizer,
  hasConsole,
  type RecognizedProduct,
  type Recognizer,
} from './recognize-products.ts'

/** Finds and removes third-party products in one export, and counts the pages that have them. */
export interface ProductRemoval {
  /** Finds products while the page is scanned, and removes those that are off. */
  find(raw: RawText, url: URL): ProductFinder
  /** Returns the page without the products that are off. */
  clean(raw: RawText, url: URL): CleanedPage
  /** Records the names of the products that a page of the bundle has or had. */
  note(key: string, names: readonly string[]): void
  /** The signs of the references that a browser shows and freezes; none if their feature is on. */
  references: readonly NamedReference[]
  /** Returns those of these products that are such references. */
  listReferences(names: readonly string[]): string[]
  /** Records the references of a page that are in the bundle as text. */
  noteFrozen(key: string, frozen: readonly Pick<FrozenReference, 'name' | 'removed'>[]): void
  /** Decides at once what `leavesOutside` and `refuse` say of an address; null = it may be loaded and packed. */
  judge(url: URL): 'outside' | { refusal: string } | null
  /** Returns the reason why this address may not be loaded or packed; null = it may. */
  refuse(url: URL): string | null
  /**
   * Decides whether this address belongs to a kept product. Pages load it from the vendor, who may change it at any time.
   */
  leavesOutside(url: URL): boolean
  /** Returns the Content-Security-Policy sources for the kept products of a page. */
  sourcesOn(key: string): string[]
  /** Returns whether a search service was removed from this page. */
  losesSearch(key: string): boolean
  /**
   * Returns the number of pages for each product, sorted by product, and the frozen references by key of their page. A
   * reference that could not be frozen counts as removed.
   */
  count(pageKeys: Iterable<string>): ProductCounts
}

/** A product that was removed, or kept because its feature is on. */
export interface ProductCount {
  product: string
  /** null = a product named by the site's settings. */
  feature: Feature | null
  /** Number of pages of the bundle that had it. */
  pages: number
}

interface ProductCounts {
  removedFeatures: ProductCount[]
  keptFeatures: ProductCount[]
  frozenReferences: FrozenPage[]
}

/** An API reference that is in the bundle as text, without the parts that send requests. */
export interface FrozenPage {
  page: string
  product: string
  /** Names of the removed parts. */
  removed: string[]
}

/** Distinguishes the addresses of the site from other addresses. */
interface OwnAddresses {
  /** Returns the address at the site's origin; null = the address belongs to another host. */
  own(url: URL): URL | null
}

/** @param freezes whether references whose feature is off are frozen, which needs a browser. Otherwise they are removed. */
export function createProductRemoval(
  features: Features,
  rules: RemovalRules | null,
  site: OwnAddresses,
  freezes = false,
): ProductRemoval {
  const recognizer = createRecognizer(features, rules, freezes)
  const isOwn = (url: URL) => site.own(url) !== null
  const seen = new Map<string, Set<RecognizedProduct>>()
  const frozen = new Map<string, FrozenPage[]>()
  const judge: ProductRemoval['judge'] = url => {
    const own = isOwn(url)
    const product = recognizer.byAddress(url, own)
    if (product?.treatment === 'keep' && !own) return 'outside'
    if (product?.treatment !== 'remove') return null
    return {
      refusal: product.feature ? `${product.name}: ${product.feature} is off` : "removed by the site's settings",
    }
  }

  return {
    find: (raw, url) => createProductFinder(raw, { pageUrl: url, isOwn, recognizer }),
    clean: (raw, url) => removeProducts(raw, { pageUrl: url, isOwn, recognizer }),
    note(key, names) {
      const products = names.flatMap(name => recognizer.byName(name) ?? [])
      if (products.length > 0) seen.set(key, new Set([...(seen.get(key) ?? []), ...products]))
    },
    judge,
    refuse(url) {
      const verdict = judge(url)
      return verdict === null || verdict === 'outside' ? null : verdict.refusal
    },
    leavesOutside: url => judge(url) === 'outside',
    sourcesOn(key) {
      const kept = [...(seen.get(key) ?? [])].filter(({ treatment }) => treatment === 'keep')
      return [...new Set(kept.flatMap(({ signs }) => sourcesOf(signs.addresses ?? [])))].sort()
    },
    losesSearch: key =>
      [...(seen.get(key) ?? [])].some(({ treatment, feature }) => treatment === 'remove' && feature === 'search'),
    references: recognizer.references,
    listReferences: names => names.filter(name => recognizer.byName(name)?.treatment === 'freeze'),
    noteFrozen(key, references) {
      const pages = references.map(({ name, removed }) => ({ page: key, product: name, removed }))
      if (pages.length > 0) frozen.set(key, pages)
    },
    count: pageKeys => countProducts([...pageKeys], seen, frozen),
  }
}

function countProducts(
  pageKeys: readonly string[],
  seen: ReadonlyMap<string, ReadonlySet<RecognizedProduct>>,
  frozen: ReadonlyMap<string, readonly FrozenPage[]>,
): ProductCounts {
  const kept = new Map<RecognizedProduct, number>()
  const removed = new Map<RecognizedProduct, number>()
  for (const key of pageKeys) {
    for (const product of seen.get(key) ?? []) {
      if (product === authorMark) continue
      if (frozen.get(key)?.some(page => page.product === product.name)) continue
      const counts = product.treatment === 'keep' ? kept : removed
      // Without a console, nothing was removed.
      if (product.treatment !== 'freeze' || hasConsole(product.signs))
        counts.set(product, (counts.get(product) ?? 0) + 1)
    }
  }
  const list = (counts: ReadonlyMap<RecognizedProduct, number>) =>
    [...counts]
      .map(([{ name, feature }, pages]) => ({ product: name, feature, pages }))
      .sort((a, b) => (a.product < b.product ? -1 : 1))
  return {
    removedFeatures: list(removed),
    keptFeatures: list(kept),
    frozenReferences: pageKeys.flatMap(key => frozen.get(key) ?? []),
  }
}

interface CleanedPage {
  raw: RawText
  /** All products on the page, each once: those removed, those kept because their feature is on, and references. */
  products: Set<RecognizedProduct>
}

/** Data that decides which parts of a page belong to products. */
interface ProductSearch {
  pageUrl: URL
  /** Decides whether an address belongs to the site itself. */
  isOwn(url: URL): boolean
  recognizer: Recognizer
}

/** Finds products while a page is scanned. After the scan, `remove` removes them. */
interface ProductFinder {
  handler: HtmlHandler
  /**
   * Returns the same raw text object when there is nothing to remove.
   *
   * @param refusal markup for the head of a page with scripts; '' or absent = none.
   */
  remove(scriptsRun: boolean, refusal?: string): CleanedPage
}

/**
 * Removes all parts of removed products: scripts, styles, frames, and elements with their content. Everything else stays.
 *
 * @param scriptsRun false for a page whose own scripts are dropped. On such a page, nothing can show a removed element
 * again.
 */
function removeProducts(raw: RawText, search: ProductSearch, scriptsRun = true): CleanedPage {
  const finder = createProductFinder(raw, search)
  scanHtml(raw.text, finder.handler)
  return finder.remove(scriptsRun)
}

/** Longer tags rarely repeat, so they are not cached. */
const maxPlainTagLength = 80
const maxPlainTags = 10_000

function createProductFinder(raw: RawText, { pageUrl, isOwn, recognizer }: ProductSearch): ProductFinder {
  const { text, charset } = raw
  const found: Found = { targets: new Map(), parts: [], products: new Set(), scripted: new Set(), hasScripts: false }
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  let base: URL | null = null
  const known = new Map<string, RecognizedProduct | undefined>()

  const byAddress = (address: string): RecognizedProduct | undefined => {
    if (known.has(address)) return known.get(address)
    base ??= documentBase(raw, pageUrl)
    const url = URL.parse(address.trim(), base)
    const product = url && /^https?:$/.test(url.protocol) ? recognizer.byAddress(url, isOwn(url)) : undefined
    known.set(address, product)
    return product
  }

  function target(tag: Tag, product: RecognizedProduct) {
    found.products.add(product)
    if (found.targets.get(tag.start)?.treatment !== 'remove') found.targets.set(tag.start, product)
    if (tag.name === 'script') found.scripted.add(product)
  }

  const handler: HtmlHandler = {
    tag(tag) {
      const isShort = tag.end - tag.start <= maxPlainTagLength
      if (isShort && recognizer.plainTags.has(tag.source)) return
      const view = viewTag(tag, value)
      const matches = recognizer.byElement(view, tag.attributes)
      const loads = !isLink(tag) && urlAttributes(tag, value).length > 0
      const product = loads ? findLoaded(tag, value, byAddress) : undefined
      const started = product ? undefined : findStarted(tag, value, recognizer)
      if (matches.length === 0 && !product && !started) {
        if (isShort && !loads && recognizer.plainTags.size < maxPlainTags) recognizer.plainTags.add(tag.source)
        return
      }
      if (recognizer.isKept(view)) return
      if (product) target(tag, product)
      if (started) target(tag, started)
      for (const { product, isProof } of matches) {
        if (isProof) target(tag, product)
        else found.parts.push({ start: tag.start, product })
      }
    },
    rawText(tag, start, end) {
      if (tag.name !== 'script' || end === start) {
        if (tag.name === 'script' && !found.targets.has(tag.start)) found.hasScripts = true
        return
      }
      if (found.targets.has(tag.start)) return
      const script = decodeRaw(text.slice(start, end), charset)
      const runs = isExecutable(tag, raw)
      // A script of the type text/plain waits until a consent banner starts it.
      const product = runs || isWaiting(tag, value) ? recognizer.byScript(script) : undefined
      if (product && !recognizer.isKept(viewTag(tag, value))) return target(tag, product)
      if (runs) found.hasScripts = true
      for (const traced of recognizer.byTrace(script)) found.products.add(traced)
    },
  }
  return { handler, remove: (scriptsRun, refusal = '') => removeFound(raw, found, scriptsRun, refusal) }
}

/** The parts of a page that belong to products. */
interface Found {
  /** Products by the offset of the open tag. */
  targets: Map<number, RecognizedProduct>
  /** Elements that count only if something else proves the product. */
  parts: { start: number; product: RecognizedProduct }[]
  products: Set<RecognizedProduct>
  /** Products with a separate script; the others are built into a script of the site. */
  scripted: Set<RecognizedProduct>
  /** Whether the page has scripts that stay. */
  hasScripts: boolean
}

function removeFound(raw: RawText, found: Found, scriptsRun: boolean, refusal: string): CleanedPage {
  const targets = new Set<number>()
  for (const [start, product] of found.targets) if (product.treatment === 'remove') targets.add(start)
  for (const { start, product } of found.parts)
    if (product.treatment === 'remove' && found.products.has(product)) targets.add(start)
  const runs = scriptsRun && found.hasScripts
  if (targets.size === 0 && !(runs && refusal)) return { raw, products: found.products }
  const text = removeElements(raw.text, targets)
  const embedded = runs
    ? [...found.products].filter(product => product.treatment === 'remove' && !found.scripted.has(product))
    : []
  return {
    raw: { ...raw, text: addToHead(text, hidingStyle(embedded) + (runs ? refusal : '')) },
    products: found.products,
  }
}

/** Finds the product that a tag loads from or connects to. Links do neither. */
function findLoaded(
  tag: Tag,
  value: (attribute: Attribute) => string,
  byAddress: (address: string) => RecognizedProduct | undefined,
): RecognizedProduct | undefined {
  for (const { attribute, role, syntax } of urlAttributes(tag, value)) {
    if (role === 'link' || role === 'option' || role === 'reference' || role === 'refused') continue
    if (syntax === 'css' || syntax === 'refresh' || syntax === 'page') continue
    const addresses =
      syntax === 'srcset' ? srcsetCandidates(value(attribute)).map(({ url }) => url) : [value(attribute)]
    for (const address of addresses) {
      const product = byAddress(address)
      if (product) return product
    }
  }
  return undefined
}

/** Finds the product that an event handler of a button or link opens. */
function findStarted(
  tag: Tag,
  value: (attribute: Attribute) => string,
  recognizer: Recognizer,
): RecognizedProduct | undefined {
  if (tag.name !== 'a' && tag.name !== 'button' && tag.name !== 'input' && tag.name !== 'img') return undefined
  for (const attribute of tag.attributes) {
    const runs =
      attribute.name.startsWith('on') || (attribute.name === 'href' && /^\s*javascript:/i.test(value(attribute)))
    const product = runs ? recognizer.byScript(value(attribute)) : undefined
    if (product) return product
  }
  return undefined
}

/** Decides whether a tag loads nothing by itself. */
function isLink({ name, attributes }: Tag): boolean {
  return name === 'a' || name === 'area' || attributes.length === 0
}

function isWaiting(tag: Tag, value: (attribute: Attribute) => string): boolean {
  const type = tag.attributes.find(({ name }) => name === 'type')
  return type !== undefined && /^\s*text\/plain\s*$/i.test(value(type))
}

function viewTag(tag: Tag, value: (attribute: Attribute) => string): ElementView {
  return {
    name: tag.name,
    attribute(name) {
      const attribute = tag.attributes.find(other => other.name === name)
      return attribute && value(attribute)
    },
  }
}

interface Element extends OpenElement {
  isTarget: boolean
  /** Offset up to which the element has only white space and removed elements; -1 = it has other content. */
  emptyTo: number
}

/** Elements that are also removed when they contain nothing but the product. */
const shells = new Set(['a', 'button', 'dialog', 'figure', 'form', 'label', 'li', 'noscript', 'p', 'search'])

/** Returns the text without the elements that begin at these offsets. */
function removeElements(text: string, targets: ReadonlySet<number>): string {
  const splices = createSplices(text)
  const isBlank = (start: number, end: number) => isBlankMarkup(text.slice(start, end))

  function remove(start: number, end: number) {
    splices.replace(start, end, '')
    const parent = elements.innermost()
    if (parent && parent.emptyTo !== -1) parent.emptyTo = isBlank(parent.emptyTo, start) ? end : -1
  }

  const elements = createOpenElements<Element>((element, end, ending) => {
    const contentEnd = ending === 'tag' ? text.lastIndexOf('<', end - 1) : end
    const isShell =
      shells.has(element.name) && element.emptyTo > element.contentStart && isBlank(element.emptyTo, contentEnd)
    if (!element.isTarget && !isShell) return
    // The element was never closed, so the rest of the page follows its open tag.
    remove(element.start, ending === 'lost' ? element.contentStart : end)
  })

  scanHtml(text, {
    tag(tag) {
      const isTarget = targets.has(tag.start)
      const element = { name: tag.name, start: tag.start, contentStart: tag.end, isTarget, emptyTo: tag.end }
      const isOpen = elements.openTag(element, text[tag.end - 2] === '/')
      if (!isOpen && isTarget) remove(tag.start, tag.end)
    },
    closeTag(name, start) {
      const close = text.indexOf('>', start)
      elements.closeTag(name, start, close === -1 ? text.length : close + 1)
    },
  })
  elements.finish(text.length)
  // The splice of an outer element begins first and includes those of inner elements.
  return splices.apply()
}

/** Decides whether markup has only white space and comments. */
function isBlankMarkup(markup: string): boolean {
  let rest = markup.trimStart()
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4)
    if (end === -1) return false
    rest = rest.slice(end + 3).trimStart()
  }
  return rest === ''
}

/** Hides products that are built into scripts of the site, because those scripts cannot be removed. */
function hidingStyle(products: readonly RecognizedProduct[]): string {
  const selectors = products.flatMap(({ signs }) => [...(signs.elements ?? []), ...(signs.parts ?? [])])
  const shown = selectors.filter(selector => !/^(script|meta)\b/.test(selector))
  return shown.length === 0 ? '' : `<style>${shown.join(',')}{display:none!important}</style>`
}

function addToHead(text: string, markup: string): string {
  const at = markup === '' ? null : findHead(text)
  return at === null ? text : text.slice(0, at) + markup + text.slice(at)
}

/** Returns the position after the tag of the head, else that of the body; null = the page has neither. */
function findHead(text: string): number | null {
  let head: number | null = null
  let body: number | null = null
  scanHtml(text, {
    tag({ name, start, end }) {
      if (name === 'head') head ??= end
      else if (name === 'body') body ??= start
    },
  })
  return head ?? body
}
