import { createHash } from 'node:crypto'
import type { ProductRemoval } from '../../products/product-removal.ts'
import { inTurn, scanHtml } from '../../web/html/html-scan.ts'
import { createLinkReader, type PageLinks, readPageLinks } from '../../web/html/page-links.ts'
import { createMarkReader } from '../../web/html/page-marks.ts'
import { createTextReader, readPageText, readPageWords } from '../../web/html/page-text.ts'
import { readScriptRedirect } from '../../web/html/script-redirect.ts'
import { resolveStreamedContent } from '../../web/html/streamed-content.ts'
import { createTabReader } from '../../web/html/tab-reader.ts'
import { type RawText, readRawText } from '../../web/html/text-encoding.ts'
import { expandEmptyElements } from '../../web/html/xhtml.ts'
import { chunkFiles } from '../../web/javascript/chunk-files.ts'
import { scriptFiles } from '../../web/javascript/script-files.ts'
import { scriptNeeds } from '../../web/javascript/script-needs.ts'
import type { Site } from '../model/site.ts'
import { isMissing } from './missing-page.ts'
import type { ReadPage, ReadTask } from './page-tasks.ts'
import type { Spool } from './spool.ts'

const inlineScript = { isOwn: true, isInline: true }

/**
 * Creates a function that removes products from a page, stores the page in the spool, and reads its text, links and
 * resources. The stored page still has its streaming instructions, so that a browser shows it as at the origin.
 */
export function createPageReader(site: Site, products: ProductRemoval, spool: Spool): (task: ReadTask) => ReadPage {
  /** Cleans and reads in one pass, or in two if a product was removed or content was streamed. */
  function readCleaned(raw: RawText, url: URL, isRendered: boolean) {
    const finder = products.find(raw, url)
    const text = createTextReader(raw)
    const links = createLinkReader(raw, url)
    const marks = createMarkReader(raw)
    const tabs = createTabReader(raw)
    scanHtml(raw.text, inTurn(finder.handler, text.handler, links.handler, marks.handler, tabs.handler))
    const cleaned = finder.remove(!isRendered)
    const names = [...cleaned.products].map(({ name }) => name)
    const resolved = resolveStreamedContent(cleaned.raw)
    const read = { raw: cleaned.raw, names, marks: marks.finish(), lacksPanels: tabs.finish() }
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
