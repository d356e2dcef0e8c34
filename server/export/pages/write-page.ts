import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProductRemoval } from '../../products/product-removal.ts'
import { resolveStreamedContent } from '../../web/html/streamed-content.ts'
import { decodeRaw, type RawText } from '../../web/html/text-encoding.ts'
import type { BundleMap } from '../rewrite/bundle-map.ts'
import { findUnresolvedInPage } from '../rewrite/check-links.ts'
import { type PagePlace, rewritePage } from '../rewrite/rewrite-page.ts'
import { appMarkup } from '../runtime/guard-app.ts'
import { guardPage } from '../runtime/guard-page.ts'
import type { WriteSetup, WriteTask, WrittenPage } from './page-tasks.ts'
import type { SpanReader } from './spool.ts'

/** Settings and tools for writing all pages of a bundle. */
export interface PageWriting extends WriteSetup {
  map: BundleMap
  products: ProductRemoval
  spans: SpanReader
}

/** Rewrites a kept page, checks its addresses, and writes it to its place in the bundle. */
export function writePage(task: WriteTask, writing: PageWriting) {
  const { folder, map, paths, loader, hasPacked, hasSearch, products, spans } = writing
  const { span, charset, url, isRendered, path, sources, losesSearch, guardedAt, app } = task
  const written: WrittenPage = { deadLinks: [], missingFiles: [], unresolved: [], hasFonts: false, hasSprites: false }
  const findings = {
    deadLink: (to: URL, reason: string) => void written.deadLinks.push([to.href, reason]),
    missingFile: (to: URL, reason: string) => void written.missingFiles.push([to.href, reason]),
  }
  const outside = { isOutside: products.leavesOutside, sources }

  function rewrite(raw: RawText, place: Pick<PagePlace, 'page' | 'app' | 'isApp' | 'search'>): RawText {
    const text = rewritePage(raw, { path, map, findings, outside, loader, hasPacked, ...place })
    const rewritten = { text, charset: raw.charset }
    written.unresolved.push(...findUnresolvedInPage(rewritten, path, paths, products.leavesOutside))
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
