import { createHash } from 'node:crypto'
import type { SearchPlace } from '../model/search-files.ts'

/**
 * The policy that lets a page load from its own bundle only, whatever its scripts try. The site's inline scripts and
 * styles go on working. A rendered page has no scripts left, and none may run, but for a search of ours.
 *
 * @param sources hosts of products whose feature is on; none in most bundles.
 */
export function sealPolicy(rendered: boolean, sources: readonly string[], search: SealedSearch | null): string {
  const allowed = search ? `'nonce-${search.nonce}'` : "'none'"
  const scripts = rendered ? `; script-src ${allowed}` : ''
  const more = sources.map(source => ` ${source}`).join('')
  return `default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'${more}${scripts}; form-action 'self'${more}; base-uri 'none'`
}

/** The search that a page loads. */
export interface SealedSearch {
  /** Relative address of its script. */
  script: string
  /** Lets this script run, and what it loads, where no other may. */
  nonce: string
  place: SearchPlace
}

/**
 * The nonce of a page. It hangs on all that the page holds, so that nothing written in it can name it: what a browser
 * should find of a script that the scan for scripts overlooked still does not run.
 */
export function sealNonce(path: string, text: string): string {
  return createHash('sha256').update(`${path}\n`).update(text, 'latin1').digest('base64url').slice(0, 24)
}

/** Stands in every sealed page; what else goes to the head of a page follows it. */
export const sealEnd = '<meta http-equiv="x-dns-prefetch-control" content="off"/>'

/**
 * What is put at the head of a page. The encoding comes first: HTML looks for it in the first 1024 bytes only, and in
 * a bundle no header tells it. Chromium looks up the hosts of links ahead of a click unless told not to, and every
 * browser asks the root of the host for an icon unless the page names one.
 *
 * @param icon address for a page that names none; null for one that does.
 */
export function sealMarkup(
  charset: string,
  rendered: boolean,
  icon: string | null,
  sources: readonly string[] = [],
  search: SealedSearch | null = null,
): string {
  return (
    `<meta charset="${charset}"/>` +
    `<meta http-equiv="Content-Security-Policy" content="${sealPolicy(rendered, sources, search)}"/>` +
    sealEnd +
    (search === null ? '' : searchMarkup(search, rendered)) +
    (icon === null ? '' : `<link rel="icon" href="${icon}"/>`)
  )
}

function searchMarkup({ script, nonce, place }: SealedSearch, rendered: boolean): string {
  const attributes = (rendered ? ` nonce="${nonce}"` : '') + (place === 'instead' ? ' data-quire-search="instead"' : '')
  return `<script src="${script}"${attributes} defer=""></script>`
}

/** Where it goes: after the head tag, else after html, else after the doctype, so that the page keeps its mode. */
export function sealPosition(text: string, headEnd: number | null, htmlEnd: number | null): number {
  if (headEnd !== null) return headEnd
  if (htmlEnd !== null) return htmlEnd
  return doctypeEnd(text) ?? bomLength(text)
}

/** After the doctype, where white space and comments at most stand before it; null elsewhere. */
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
