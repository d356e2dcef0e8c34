import { type Attribute, type HtmlHandler, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { createOpenElements, type OpenElement } from '../../web/html/open-elements.ts'
import { documentBase } from '../../web/html/page-links.ts'
import { isExecutable } from '../../web/html/page-text.ts'
import type { ElementView } from '../../web/html/selector.ts'
import { createSplices } from '../../web/html/splice.ts'
import { srcsetCandidates } from '../../web/html/srcset.ts'
import { decodeAttribute, decodeRaw, type RawText } from '../../web/html/text-encoding.ts'
import { urlAttributes } from '../../web/html/url-attributes.ts'
import type { Recognised, Recognizer } from './recognize-products.ts'

export interface CleanedPage {
  raw: RawText
  /** Of both kinds, each once: removed, and left because their feature is on. */
  products: Set<Recognised>
}

/** What of a page belongs to products: by the offset of an open tag. */
interface Found {
  targets: Map<number, Recognised>
  /** Elements that count only beside a proof. */
  parts: { start: number; product: Recognised }[]
  products: Set<Recognised>
  /** Those that come with a script of their own, as opposed to being part of the site's. */
  scripted: Set<Recognised>
  hasScripts: boolean
}

/**
 * Takes out what belongs to removed products: scripts, styles, frames, elements with all they hold. All else stays.
 *
 * @param scriptsRun false for a page whose own scripts are left out: nothing can show an element again.
 */
export function removeProducts(
  raw: RawText,
  pageUrl: URL,
  isOwn: (url: URL) => boolean,
  recognizer: Recognizer,
  scriptsRun = true,
): CleanedPage {
  const finder = createProductFinder(raw, pageUrl, isOwn, recognizer)
  scanHtml(raw.text, finder.handler)
  return finder.remove(scriptsRun)
}

/** Looks for products while a page is scanned; `remove` takes them out when it was. */
export interface ProductFinder {
  handler: HtmlHandler
  /** The very same raw text when nothing is to go. */
  remove(scriptsRun: boolean): CleanedPage
}

function removeFound(raw: RawText, found: Found, scriptsRun: boolean): CleanedPage {
  const targets = new Set<number>()
  for (const [start, product] of found.targets) if (product.isRemoved) targets.add(start)
  for (const { start, product } of found.parts) if (product.isRemoved && found.products.has(product)) targets.add(start)
  if (targets.size === 0) return { raw, products: found.products }
  const text = removeElements(raw.text, targets)
  const embedded =
    scriptsRun && found.hasScripts
      ? [...found.products].filter(product => product.isRemoved && !found.scripted.has(product))
      : []
  return { raw: { ...raw, text: hideElements(text, embedded) }, products: found.products }
}

/** Tags longer than this hardly repeat; of the others so many are remembered. */
const longestPlainTag = 80
const maxPlainTags = 10_000

export function createProductFinder(
  raw: RawText,
  pageUrl: URL,
  isOwn: (url: URL) => boolean,
  recognizer: Recognizer,
): ProductFinder {
  const { text, charset } = raw
  const found: Found = { targets: new Map(), parts: [], products: new Set(), scripted: new Set(), hasScripts: false }
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  let base: URL | null = null
  const known = new Map<string, Recognised | undefined>()

  const byAddress = (address: string): Recognised | undefined => {
    if (known.has(address)) return known.get(address)
    base ??= documentBase(raw, pageUrl)
    const url = URL.parse(address.trim(), base)
    const product = url && /^https?:$/.test(url.protocol) ? recognizer.byAddress(url, isOwn(url)) : undefined
    known.set(address, product)
    return product
  }

  function target(tag: Tag, product: Recognised) {
    found.products.add(product)
    if (!found.targets.get(tag.start)?.isRemoved) found.targets.set(tag.start, product)
    if (tag.name === 'script') found.scripted.add(product)
  }

  const handler: HtmlHandler = {
    tag(tag) {
      const isShort = tag.end - tag.start <= longestPlainTag
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
      // Consent banners start scripts of the type text/plain when they are allowed to.
      const product = runs || isWaiting(tag, value) ? recognizer.byScript(script) : undefined
      if (product && !recognizer.isKept(viewTag(tag, value))) return target(tag, product)
      if (runs) found.hasScripts = true
      for (const traced of recognizer.byTrace(script)) found.products.add(traced)
    },
  }
  return { handler, remove: scriptsRun => removeFound(raw, found, scriptsRun) }
}

/** The product that a tag loads something of, or connects to. Links do neither. */
function findLoaded(
  tag: Tag,
  value: (attribute: Attribute) => string,
  byAddress: (address: string) => Recognised | undefined,
): Recognised | undefined {
  for (const { attribute, role, syntax } of urlAttributes(tag, value)) {
    if (role === 'link' || role === 'reference' || role === 'refused') continue
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

/** The product that a button or link opens by an event handler. */
function findStarted(
  tag: Tag,
  value: (attribute: Attribute) => string,
  recognizer: Recognizer,
): Recognised | undefined {
  if (tag.name !== 'a' && tag.name !== 'button' && tag.name !== 'input' && tag.name !== 'img') return undefined
  for (const attribute of tag.attributes) {
    const runs =
      attribute.name.startsWith('on') || (attribute.name === 'href' && /^\s*javascript:/i.test(value(attribute)))
    const product = runs ? recognizer.byScript(value(attribute)) : undefined
    if (product) return product
  }
  return undefined
}

/** What only leads somewhere when a person follows it. */
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
  /** Up to where it held nothing but white space and what is removed; -1 when it holds something. */
  emptyTo: number
}

/** Elements that are a dead shell when the product was all they held. */
const shells = new Set(['a', 'button', 'dialog', 'figure', 'form', 'label', 'li', 'noscript', 'p', 'search'])

/** The text without the elements that begin at these offsets. */
function removeElements(text: string, targets: ReadonlySet<number>): string {
  const splices = createSplices(text)
  const isBlank = (start: number, end: number) =>
    text
      .slice(start, end)
      .replace(/<!--[\s\S]*?-->/g, '')
      .trim() === ''

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
    // Nobody closed it: what follows it is the page.
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
  // An outer element begins before the inner ones, whose splices it swallows.
  return splices.apply()
}

/** Keeps scripts of the site, which cannot be removed, from showing a product that is built into them. */
function hideElements(text: string, products: readonly Recognised[]): string {
  const selectors = products.flatMap(({ signs }) => [...(signs.elements ?? []), ...(signs.parts ?? [])])
  const shown = selectors.filter(selector => !/^(script|meta)\b/.test(selector))
  if (shown.length === 0) return text
  const head = /<head(?:\s[^>]*)?>/i.exec(text)
  const at = head ? head.index + head[0].length : text.search(/<body[\s>]/i)
  if (at === -1) return text
  return `${text.slice(0, at)}<style>${shown.join(',')}{display:none!important}</style>${text.slice(at)}`
}
