import { createHash } from 'node:crypto'
import type { SearchPlace } from '../model/search-files.ts'

/**
 * Returns the policy that lets a page load only from its own bundle. The site's inline scripts and styles still work. On an
 * inert page, only the bundle's own scripts may run.
 *
 * @param sources hosts of products whose feature is on; none in most bundles.
 */
function sealPolicy({ inert, sources }: Pick<SealedHead, 'inert' | 'sources'>): string {
  const scripts = inert ? `; script-src 'nonce-${inert.nonce}'` : ''
  const more = sources.map(source => ` ${source}`).join('')
  return `default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'${more}${scripts}; form-action 'self'${more}; base-uri 'none'`
}

/**
 * Returns the hosts that the policy of a finished page allows besides its own bundle; null = the page has no policy. The
 * policy is the first one, because `sealMarkup` writes it before all other markup.
 */
export function readSources(text: string): string[] | null {
  const policy = /<meta http-equiv="Content-Security-Policy" content="default-src ([^";]*)/.exec(text)?.[1]
  if (policy === undefined) return null
  const hosts = policy
    .split(/\s+/)
    .flatMap(source => (source.includes('://') ? [URL.parse(source)?.host ?? source] : []))
  return [...new Set(hosts)]
}

/** Data for the markup that is added to the head of a page. */
interface SealedHead {
  charset: string
  /** How a page whose scripts are all blocked runs those of the bundle; null = the scripts of the page may run. */
  inert: InertHead | null
  /** Address of the icon for a page that names none; null for a page that names one. */
  icon: string | null
  /** Hosts of products whose feature is on; none in most bundles. */
  sources: readonly string[]
  search: SealedSearch | null
}

interface InertHead {
  /** Allows the scripts of the bundle, and the scripts that they load, on a page that allows no other scripts. */
  nonce: string
  /** Relative address of the script that opens menus and switches the theme; null = none. */
  runtime: string | null
}

/** The search that a page loads. */
interface SealedSearch {
  /** Relative address of its script. */
  script: string
  place: SearchPlace
}

/**
 * Returns the nonce of a page. The nonce is a hash of the whole page, so the page cannot contain it. A script that the scan
 * overlooked is therefore still blocked.
 */
export function sealNonce(path: string, text: string): string {
  return createHash('sha256').update(`${path}\n`).update(text, 'latin1').digest('base64url').slice(0, 24)
}

/** Marks a sealed page. All other additions to the head follow this tag. */
export const sealEnd = '<meta http-equiv="x-dns-prefetch-control" content="off"/>'

/**
 * Returns the markup that is added to the head of a page. The encoding comes first, because browsers look for it only in the
 * first 1024 bytes and a bundle has no headers. Without the DNS setting, Chromium resolves the hosts of links before a
 * click. Without an icon, every browser requests one from the root of the host.
 */
export function sealMarkup({ charset, inert, icon, sources, search }: SealedHead): string {
  return (
    `<meta charset="${charset}"/>` +
    `<meta http-equiv="Content-Security-Policy" content="${sealPolicy({ inert, sources })}"/>` +
    sealEnd +
    (search === null ? '' : searchMarkup(search, inert)) +
    (inert?.runtime ? `<script src="${inert.runtime}" nonce="${inert.nonce}" defer=""></script>` : '') +
    (icon === null ? '' : `<link rel="icon" href="${icon}"/>`)
  )
}

function searchMarkup({ script, place }: SealedSearch, inert: InertHead | null): string {
  const attributes =
    (inert ? ` nonce="${inert.nonce}"` : '') + (place === 'instead' ? ' data-quire-search="instead"' : '')
  return `<script src="${script}"${attributes} defer=""></script>`
}

/**
 * Returns the position for the added markup: after the head tag, else after the html tag, else after the doctype, which must
 * be first.
 */
export function sealPosition(text: string, headEnd: number | null, htmlEnd: number | null): number {
  if (headEnd !== null) return headEnd
  if (htmlEnd !== null) return htmlEnd
  return doctypeEnd(text) ?? bomLength(text)
}

/** Returns the position after the doctype if only white space and comments precede the doctype; otherwise null. */
function doctypeEnd(text: string): number | null {
  // Scans step by step. With one expression, thirty comments without a doctype take seconds, and forty take an hour.
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
