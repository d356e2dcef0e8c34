import { encodeAttribute } from '../../web/html/text-encoding.ts'
import type { OneFile } from './one-file.ts'

/** What the cover of a file says about the bundle. */
export interface Cover {
  site: string
  version: string | null
  /** Such as 2026-11-27; null = the bundle has no date. */
  date: string | null
  /** Of the archive; null for a folder. */
  sha256: string | null
}

const escapeText = (text: string) => Buffer.from(encodeAttribute(text, 'utf-8'), 'latin1').toString()

/** The title of the file, such as `docs.example.com, version 2.1`. */
export function titleOf({ site, version }: Cover): string {
  return version === null ? site : `${site}, version ${version}`
}

export function writeCover(cover: Cover, pages: number): string {
  const { site, version, date, sha256 } = cover
  const facts = [
    ['Version', version],
    ['Date', date],
    ['Pages of the site', String(pages)],
    ['SHA-256 of the bundle', sha256],
  ].flatMap(([name, value]) => (value ? [`<dt>${name}</dt><dd>${escapeText(value)}</dd>`] : []))
  return `<header class="quire-cover"><h1>${escapeText(site)}</h1><dl>${facts.join('')}</dl></header>\n`
}

/**
 * Returns the list of the pages, indented by their folders.
 *
 * @param numberOf returns what stands at the end of a line; null = nothing.
 */
export function writeContents(
  pages: OneFile['pages'],
  address: (id: string) => string,
  numberOf: (id: string) => number | null,
): string {
  const [start] = pages
  const lines = pages.map(({ id, path, title }) => {
    const depth = Math.max(0, Math.min(4, depthOf(path) - depthOf(start?.path ?? '')))
    const number = numberOf(id)
    const end = number === null ? '' : `<i></i><span>${number}</span>`
    return `<li style="margin-left:${depth * 1.2}em"><a href="${address(id)}"><span>${escapeText(title)}</span>${end}</a></li>`
  })
  return `<nav class="quire-contents" id="contents"><h1>Contents</h1><ol>${lines.join('\n')}</ol></nav>\n`
}

/** An index.html stands for its folder. */
function depthOf(path: string): number {
  return path.replace(/(?:^|\/)index\.html?$/, '').split('/').length
}

/** The head of a document, with a policy that lets it load nothing but what `sources` names. */
export function writeHead(cover: Cover, language: string, style: string, sources: string): string {
  return (
    `<!doctype html>\n<html lang="${escapeText(language)}">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src ${sources}">` +
    `<link rel="icon" href="data:,"><title>${escapeText(titleOf(cover))}</title><style>${style}</style></head>\n<body>\n`
  )
}
