import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { inTurn, scanHtml } from '../../web/html/html-scan.ts'
import { createLinkReader, type PageLinks, readPageLinks } from '../../web/html/page-links.ts'
import { createTextReader, readPageText, readPageWords } from '../../web/html/page-text.ts'
import { readScriptRedirect } from '../../web/html/script-redirect.ts'
import { decodeRaw, type RawText, readRawText } from '../../web/html/text-encoding.ts'
import { expandEmptyElements } from '../../web/html/xhtml.ts'
import { chunkFiles } from '../../web/javascript/chunk-files.ts'
import { scriptFiles } from '../../web/javascript/script-files.ts'
import { scriptNeeds } from '../../web/javascript/script-needs.ts'
import { createExclusions } from '../model/exclusions.ts'
import { createSite } from '../model/site.ts'
import { createProductRemoval } from '../products/product-removal.ts'
import { createBundleMap } from '../rewrite/bundle-map.ts'
import { findUnresolvedInPage } from '../rewrite/check-links.ts'
import { rewritePage } from '../rewrite/rewrite-page.ts'
import { appMarkup } from '../runtime/guard-app.ts'
import { guardPage } from '../runtime/guard-page.ts'
import { isMissing } from './missing-page.ts'
import type { PageWork, PageWorkSetup, WriteSetup, WriteTask, WrittenPage } from './page-tasks.ts'
import { createSpanReader, createSpool } from './spool.ts'

const scriptPlace = { isOwn: true, isInline: true }

export function createPageWork({ domain, origin, features, removal, folder }: PageWorkSetup): PageWork {
  const site = createSite(domain, new URL(origin))
  const products = createProductRemoval(features, removal, site)
  const exclusions = createExclusions(removal?.excludePages ?? [], site)
  const spool = createSpool(join(folder, `pages-${threadId}`))
  const spans = createSpanReader()
  let writing: (WriteSetup & { map: ReturnType<typeof createBundleMap> }) | null = null

  /** Cleans and reads in one pass; in two where something was to go. */
  function readCleaned(raw: RawText, url: URL, isRendered: boolean) {
    const finder = products.find(raw, url)
    const text = createTextReader(raw)
    const links = createLinkReader(raw, url)
    scanHtml(raw.text, inTurn(finder.handler, text.handler, links.handler))
    const cleaned = finder.remove(!isRendered)
    const names = [...cleaned.products].map(({ name }) => name)
    if (cleaned.raw === raw) return { raw, names, text: text.finish(), links: links.finish() }
    return { raw: cleaned.raw, names, text: readPageText(cleaned.raw), links: readPageLinks(cleaned.raw, url) }
  }

  return {
    read({ bytes, charset, url, isXhtml = false, isRendered, missing }) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const pageUrl = new URL(url)
      const asItCame = readRawText(buffer, charset)
      const raw = isXhtml ? { ...asItCame, text: expandEmptyElements(asItCame.text) } : asItCame
      const page = readCleaned((isRendered ? null : readScriptRedirect(raw)) ?? raw, pageUrl, isRendered)
      const asked = missing && new URL(missing.asked)
      const isOneOfThem =
        missing !== null && asked !== null && isMissing(missing.words, asked, readPageWords(page.raw), pageUrl)
      return {
        isMissing: isOneOfThem,
        charset: page.raw.charset,
        span: spool.append(isOneOfThem ? '' : page.raw.text),
        sizeBytes: bytes.byteLength,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        text: page.text,
        links: ownLinks(page.links),
        assets: page.links.assets.map(({ url, role }) => ({ url: url.href, role })),
        guesses: [...new Set(page.links.scripts.flatMap(script => [...scriptFiles(script), ...chunkFiles(script)]))],
        scriptNeeds: page.links.scripts.flatMap(script =>
          scriptNeeds(script, { ...scriptPlace, url: page.links.base }),
        ),
        importMaps: page.links.importMaps.map(text => ({ text, base: page.links.base.href })),
        products: page.names,
      }
    },
    beginWriting(setup) {
      writing = { ...setup, map: createBundleMap(site, setup.targets, exclusions) }
    },
    write({ span, charset, url, isRendered, path, sources, losesSearch, guardedAt, app }) {
      if (!writing) throw new Error('the bundle was not planned')
      const { folder, map, paths, loader, hasSearch } = writing
      const written: WrittenPage = { deadLinks: [], missingFiles: [], unresolved: [], hasFonts: false }
      const findings = {
        deadLink: (to: URL, reason: string) => void written.deadLinks.push([to.href, reason]),
        missingFile: (to: URL, reason: string) => void written.missingFiles.push([to.href, reason]),
      }
      const raw = { text: spans.read(span).toString('latin1'), charset }
      const outside = { isOutside: products.leavesOutside, sources }
      const page = { url: new URL(url), rendered: isRendered }
      const search = hasSearch ? (losesSearch ? 'instead' : 'beside') : null
      const check = (page: RawText) =>
        written.unresolved.push(...findUnresolvedInPage(page, path, paths, products.leavesOutside))
      const writeApp = ({ span, charset, url }: NonNullable<WriteTask['app']>) => {
        const raw = { text: spans.read(span).toString('latin1'), charset }
        const place = { url: new URL(url), rendered: false }
        const shell = {
          text: rewritePage(raw, { page: place, path, map, findings, outside, loader, isApp: true }),
          charset,
        }
        check(shell)
        return appMarkup(decodeRaw(shell.text, charset), place.url.pathname)
      }
      const text = rewritePage(raw, { page, path, map, findings, outside, loader, search, app: app && writeApp(app) })
      check({ text, charset })
      written.hasFonts = /@font-face/i.test(text)
      const finished = guardedAt === null ? text : guardPage({ text, charset }, path, guardedAt)
      writeFileSync(join(folder, path), finished, 'latin1')
      return written
    },
    close() {
      spool.close()
      spans.close()
    },
  }

  function ownLinks({ links }: PageLinks): string[] {
    const found = new Set<string>()
    for (const link of links) {
      const own = site.own(link)
      if (!own || !site.inScope(own)) continue
      own.hash = link.hash
      found.add(own.href)
    }
    return [...found]
  }
}
