import { cssUrls } from '../../web/html/css-urls.ts'
import { manifestUrls } from '../../web/html/manifest.ts'
import { readPageLinks, type UrlRole } from '../../web/html/page-links.ts'
import { rawOf } from '../../web/html/text-encoding.ts'
import { chunkFiles, fullTwin } from '../../web/javascript/chunk-files.ts'
import { scriptFiles } from '../../web/javascript/script-files.ts'
import { type ScriptNeed, scriptNeeds } from '../../web/javascript/script-needs.ts'

/** A fetched style sheet, script, web app manifest or SVG file. */
export interface TextFile {
  kind: 'stylesheet' | 'script' | 'manifest' | 'drawing'
  /** The decoded text. */
  text: string
  /** The URL after redirects. */
  url: URL
  /** Whether the file belongs to the site; false for files of other hosts. */
  isOwn: boolean
}

/** The files that a file names. */
export interface FileNeeds {
  /** Files that a style sheet, manifest or SVG file loads. */
  named: { url: URL; role: UrlRole }[]
  /** Names in a script that may be file names. */
  guesses: ReadonlySet<string>
  /** Files that a script certainly loads. */
  script: ScriptNeed[]
  /** Links of an SVG file. */
  links: URL[]
}

export function readFileNeeds({ kind, text, url, isOwn }: TextFile): FileNeeds {
  const none: FileNeeds = { named: [], guesses: new Set(), script: [], links: [] }
  if (kind === 'script') {
    const script = scriptNeeds(text, { url, isOwn, isInline: false })
    return { ...none, guesses: new Set(isOwn ? namesInOwnScript(text, url) : namesInForeignScript(text)), script }
  }
  if (kind === 'manifest')
    return { ...none, named: manifestUrls(text).icons.flatMap(icon => named(icon, url, 'asset')) }
  if (kind === 'drawing') {
    const { links, assets } = readPageLinks(rawOf(text), url)
    return { ...none, named: assets, links }
  }
  const urls = [...cssUrls(text)].filter(found => !found.url.startsWith('#'))
  return {
    ...none,
    named: urls.flatMap(found => named(found.url, url, found.kind === 'import' ? 'stylesheet' : 'asset')),
  }
}

function namesInOwnScript(text: string, url: URL): string[] {
  const twin = fullTwin(url)
  return [...scriptFiles(text), ...chunkFiles(text), ...(twin ? [twin] : [])]
}

/** Returns chunks first, because only some of the names are tried. */
function namesInForeignScript(text: string): string[] {
  return [...chunkFiles(text), ...scriptFiles(text)]
}

function named(address: string, base: URL, role: UrlRole): FileNeeds['named'] {
  const url = URL.parse(address, base)
  return url ? [{ url, role }] : []
}
