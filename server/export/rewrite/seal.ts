import { createHash } from 'node:crypto'
import type { SearchPlace } from '../model/search-files.ts'

/**
 * The policy that lets a page load only from its own bundle. The site's inline scripts and styles keep working. On an inert page,
 * only our search may run.
 *
 * @param sources hosts of products whose feature is on; none in most bundles.
 */
function sealPolicy(isInert: boolean, sources: readonly string[], search: SealedSearch | null): string {
  const allowed = search ? `'nonce-${search.nonce}'` : "'none'"
  const scripts = isInert ? `; script-src ${allowed}` : ''
  const more = sources.map(source => ` ${source}`).join('')
  return `default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'${more}${scripts}; form-action 'self'${more}; base-uri 'none'`
}

/** The content of the markup that is added to the head of a page. */
interface SealedHead {
  charset: string
  /** Whether no script of the site may run. */
  isInert: boolean
  /** Address for a page that names no icon; null for one that does. */
  icon: string | null
  /** Hosts of products whose feature is on; none in most bundles. */
  sources: readonly string[]
  search: SealedSearch | null
}

/** The search that a page loads. */
interface SealedSearch {
  /** Relative address of its script. */
  script: string
  /** Allows this script, and the scripts that it loads, on a page that allows no others. */
  nonce: string
  place: SearchPlace
}

/**
 * The nonce of a page. It is a hash of the whole page, so that nothing in the page can contain it: a script that the scan
 * overlooked still does not run.
 */
export function sealNonce(path: string, text: string): string {
  return createHash('sha256').update(`${path}\n`).update(text, 'latin1').digest('base64url').slice(0, 24)
}

/** Marks a sealed page; everything else that is added to the head follows it. */
export const sealEnd = '<meta http-equiv="x-dns-prefetch-control" content="off"/>'

/**
 * The markup that is added at the head of a page. The encoding comes first: HTML looks for it only in the first 1024 bytes,
 * and a bundle has no headers. Chromium resolves the hosts of links before a click unless told not to, and every browser
 * requests an icon from the root of the host unless the page names one.
 */
export function sealMarkup({ charset, isInert, icon, sources, search }: SealedHead): string {
  return (
    `<meta charset="${charset}"/>` +
    `<meta http-equiv="Content-Security-Policy" content="${sealPolicy(isInert, sources, search)}"/>` +
    sealEnd +
    (search === null ? '' : searchMarkup(search, isInert)) +
    (icon === null ? '' : `<link rel="icon" href="${icon}"/>`)
  )
}

function searchMarkup({ script, nonce, place }: SealedSearch, isInert: boolean): string {
  const attributes = (isInert ? ` nonce="${nonce}"` : '') + (place === 'instead' ? ' data-quire-search="instead"' : '')
  return `<script src="${script}"${attributes} defer=""></script>`
}

/** The place for the added markup: after the head tag, else after html, else after the doctype, which has to come first. */
export function sealPosition(text: string, headEnd: number | null, htmlEnd: number | null): number {
  if (headEnd !== null) return headEnd
  if (htmlEnd !== null) return htmlEnd
  return doctypeEnd(text) ?? bomLength(text)
}

/** After the doctype if only white space and comments precede it; otherwise null. */
function doctypeEnd(text: string): number | null {
  // Step by step: as one expression, thirty comments without a doctype take seconds, and forty an hour.
  for (let at = bomLength(text); ; ) {
    const space = /[^\s]/g
    space.lastIndex = at
    at = space.exec(text)?.index ?? text.length
    const rest = text.slice(at, at + 9).toLowerCase()
    const isDoctype = rest === '<!doctype'
    const close = isDoctype || rest.startsWith('<?xml') ? '>' : rest.startsWith('<!--') ? '-->' : null
    const end = close === null ? -1 : text.indexOf(close, at)
    if (close === null || end === -1) return null
    at = end + close.length
    if (isDoctype) return at
  }
}

function bomLength(text: string): number {
  return text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
}
