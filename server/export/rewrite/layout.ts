import { createHash } from 'node:crypto'
import { followRedirect } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import { decodeComponent, foldName } from '../../base/path-names.ts'
import { encodeAttribute } from '../../web/html/text-encoding.ts'
import { manifestName } from '../model/manifest.ts'
import { missingExtension } from './media-types.ts'

/** A page or file that needs a path in the bundle. */
export interface Placed {
  key: string
  url: URL
  isPage: boolean
  /** Whether the page only redirects to another. It yields its name to other pages. */
  isRedirect?: boolean
  /** Media type without parameters. */
  type: string
  sha256: string
  /** Whether it belongs to another site. Its path is then below _external/ and its host. */
  external: boolean
}

/** The folder of the bundle for files of other sites. */
const externalFolder = '_external'

const maxPathBytes = 240

/** The first file that a reader opens. */
const entrance = 'index.html'

/** Names at the root of a bundle that Quire reserves. */
const ownNames = ['export-report.json', 'export-report.html', manifestName, '_quire', externalFolder]

/**
 * Gives each page and file its path in the bundle. The order of the input does not matter. Each page stays in the folder
 * against which its relative links resolve: `/a/b` becomes a/b.html, `/a/b/` becomes a/b/index.html, and `/a/b.html` stays.
 * Files keep their path; if a path has several queries, the first file keeps the plain name. A name that a file system
 * could confuse or reject gets a hash.
 */
export function planLayout(items: readonly Placed[]): Map<string, string> {
  const sorted = [...items].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const wanted = sorted.map(item => ({ item, segments: wantedSegments(item) }))
  const root = createFolder()
  for (const name of ownNames)
    root.names.set(foldName(name), { name, folder: name === externalFolder ? createFolder() : null })

  const plan = new Map<string, string>()
  const bySource = new Map<string, string>()
  // Place folders first. A file that conflicts with a folder gets another name.
  for (const { segments } of wanted) placeFolder(root, segments.slice(0, -1))
  const take = (item: Placed, segments: readonly string[]) => plan.set(item.key, placeFile(root, segments, item.key))
  // Place pages before redirects and files, so that a page never loses its name to them, and pages with an extension before
  // pages that get one. Place plain names before names with a query.
  const pages = wanted.filter(({ item }) => item.isPage && !item.isRedirect)
  const named = pages.filter(({ item }) => !getsExtension(item.url))
  for (const { item, segments } of named) take(item, segments)
  const namedPaths = new Set([...plan.values()].map(foldName))
  for (const { item, segments } of pages) {
    if (plan.has(item.key)) continue
    // Hosts show a.html for `/a.html`, so a different page `/a` gets a folder.
    const isOther = item.url.search === '' && namedPaths.has(foldName(segments.join('/')))
    take(item, isOther ? wantedSegments(item, 'folder') : segments)
  }
  for (const { item, segments } of wanted) if (item.isRedirect) take(item, segments)
  for (const { item, segments } of wanted) {
    if (item.isPage) continue
    // Several addresses of the same file (such as cache-busting queries) share one path.
    const source = `${segments.join('/')} ${item.sha256}`
    const path = bySource.get(source) ?? placeFile(root, segments, item.key)
    bySource.set(source, path)
    plan.set(item.key, path)
  }
  return plan
}

interface Folder {
  /** By folded name. */
  names: Map<string, { name: string; folder: Folder | null }>
}

function createFolder(): Folder {
  return { names: new Map() }
}

function placeFolder(root: Folder, segments: readonly string[]): { folder: Folder; path: string[] } {
  let folder = root
  const path: string[] = []
  for (const segment of segments) {
    let name = segment
    let entry = folder.names.get(foldName(name))
    // A folder must not have the name of the first file that a reader opens.
    const isEntrance = path.length === 0 && foldName(name) === entrance
    if (isEntrance || (entry && (entry.name !== name || !entry.folder))) {
      name = markSegment(segment, `folder ${segment}`)
      entry = folder.names.get(foldName(name))
    }
    if (!entry) {
      entry = { name, folder: createFolder() }
      folder.names.set(foldName(name), entry)
    }
    folder = entry.folder ?? createFolder()
    path.push(entry.name)
  }
  return { folder, path }
}

function placeFile(root: Folder, segments: readonly string[], key: string): string {
  const { folder, path } = placeFolder(root, segments.slice(0, -1))
  const wanted = segments.at(-1) ?? 'index.html'
  let name = wanted
  for (let attempt = 0; folder.names.has(foldName(name)); attempt += 1) {
    name = markSegment(wanted, attempt === 0 ? key : `${attempt} ${key}`)
  }
  folder.names.set(foldName(name), { name, folder: null })
  return [...path, name].join('/')
}

function wantedSegments({ url, isPage, type, external, key }: Placed, as: 'file' | 'folder' = 'file'): string[] {
  const endsInSlash = url.pathname.endsWith('/')
  const isNamed = isPage && as === 'file' && getsExtension(url)
  const segments = `${url.pathname}${isNamed ? '.html' : ''}`
    .split('/')
    .filter(segment => segment !== '')
    .map(safeSegment)
  if (isPage) {
    if (endsInSlash || as === 'folder') segments.push(entrance)
  } else {
    if (endsInSlash || segments.length === 0) segments.push('index')
    const last = segments.at(-1) ?? ''
    const extension = missingExtension(last, type)
    if (extension) segments[segments.length - 1] = `${last}.${extension}`
  }
  if (external) segments.unshift(externalFolder, safeSegment(url.host.replace(':', '_')))
  else if (foldName(segments[0] ?? '') === externalFolder) segments[0] = markSegment(externalFolder, key)
  if (Buffer.byteLength(segments.join('/')) <= maxPathBytes) return segments
  const short = markSegment((segments.at(-1) ?? '').slice(-40), key)
  return external ? [externalFolder, '_long', short] : ['_long', short]
}

/** Decides whether a page has an address like `/a/b`, and therefore gets the extension .html in the bundle. */
function getsExtension({ pathname }: URL): boolean {
  return !pathname.endsWith('/') && !/\.x?html?$/i.test(pathname)
}

/** Returns the relative reference from one file of the bundle to another. Both paths begin at the root of the bundle. */
export function relativeReference(from: string, to: string): string {
  const fromFolders = from.split('/').slice(0, -1)
  const target = to.split('/')
  let common = 0
  while (common < fromFolders.length && common < target.length - 1 && fromFolders[common] === target[common])
    common += 1
  const up = '../'.repeat(fromFolders.length - common)
  return up + target.slice(common).map(encodeSegment).join('/')
}

const maxSegmentBytes = 140
/** Of a longer segment, only the beginning and the hash are in the name. */
const maxReadCharacters = 10_000

/** Matches names that Windows reserves for devices, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

/**
 * Returns a file name for one segment of a URL path. All common file systems accept the name. Most segments stay unchanged.
 * A changed name gets a hash of the original segment, so two segments never get the same name.
 *
 * @param segment percent-encoded; not empty.
 */
export function safeSegment(segment: string): string {
  const read = segment.slice(0, maxReadCharacters)
  const name = decodeComponent(read) ?? read
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression looks for control characters
  const allowed = name.replace(/[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u2028\u2029\ufeff]/g, '_')
  const cleaned = allowed.replace(/(?<![. ])[. ]+$/, '_')
  const isDevice = device.test(cleaned)
  const tooLong = Buffer.byteLength(cleaned) > maxSegmentBytes
  if (cleaned === name && !isDevice && !tooLong && name !== '' && !/^\.\.?$/.test(name)) return name
  return markSegment(cleaned.replace(/^\.+$/, '_'), segment)
}

/** Adds a hash of `source` before the extension and shortens the name to the length limit. */
function markSegment(name: string, source: string): string {
  const extension = /\.[A-Za-z0-9]{1,11}$/.exec(name)?.[0] ?? ''
  const mark = `~${createHash('sha256').update(source).digest('hex').slice(0, 8)}`
  const stem = cutToBytes(
    name.slice(0, name.length - extension.length),
    maxSegmentBytes - extension.length - mark.length,
  )
  return `${device.test(stem) ? '_' : ''}${stem}${mark}${extension}`
}

/** Returns the longest beginning of a text with at most so many bytes of UTF-8. */
function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Escapes a segment for a relative reference. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(/%(?:2B|40|2C|3D|24|3B|26)/g, decodeURIComponent)
}

/**
 * The index file of a folder that stands for a page. Common hosts show it for a folder without index.html. Hosts that guess
 * `.html` show the page: some of them would prefer an index.html, which would then redirect to itself forever.
 */
const stubName = 'index.htm'

/**
 * Plans a redirect at a/b/index.htm for each page `/a/b` at a/b.html. A host that guesses no extension leads from `/a/b` to
 * the folder `/a/b/`. Readers come to such addresses by reloading a page that a script showed, by typing, and from links of
 * other sites.
 *
 * @param pages addresses of pages, and the bundle paths of these pages.
 * @param paths all paths of the bundle.
 */
export function planFolderStubs(pages: Iterable<{ url: URL; path: string }>, paths: Iterable<string>): Redirect[] {
  const files = new Set(ownNames)
  // Folders by folded name. A stub must not get into a folder whose name differs only in case.
  const folders = new Map<string, string>()
  for (const path of paths) {
    files.add(foldName(path))
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(foldName(folder))) break
      folders.set(foldName(folder), folder)
    }
  }
  const stubs = new Map<string, Redirect>()
  for (const { url, path } of pages) {
    const folder = path.replace(/\.x?html?$/i, '')
    // A page with another name than its own is not at its own address on any host.
    if (!getsExtension(url) || url.search !== '' || folder.slice(folder.lastIndexOf('/') + 1) !== folderName(url))
      continue
    const folded = foldName(folder)
    const isTaken = files.has(folded) || (folders.get(folded) ?? folder) !== folder
    const isFolderPage = ['index.html', 'index.htm', 'index.xhtml'].some(name => files.has(`${folded}/${name}`))
    if (!isTaken && !isFolderPage) stubs.set(folder, { path: `${folder}/${stubName}`, to: path })
  }
  return [...stubs.values()]
}

/** Returns the name of the folder of a page. It differs from the name of the page if file systems could refuse it. */
function folderName({ pathname }: URL): string {
  return safeSegment(pathname.slice(pathname.lastIndexOf('/') + 1))
}

/** A page of the bundle that redirects to another page. Both are paths in the bundle. */
export interface Redirect {
  path: string
  to: string
}

/** A redirect has two addresses and a short script. */
const maxRedirectLength = 20_000

const script = callScript(followRedirect)
const scriptHash = createHash('sha256').update(script).digest('base64')
const policy = `default-src 'none'; script-src 'sha256-${scriptHash}'`

const start = `<!doctype html>\n<meta charset="utf-8"/>\n<meta http-equiv="Content-Security-Policy" content="`

/** Decides whether the text of a page was made by `redirectPage`, also by another version. */
export function isRedirectPage(text: string): boolean {
  return text.startsWith(`${start}default-src 'none'; script-src 'sha256-`) && text.length < maxRedirectLength
}

/** Returns a small HTML page that redirects to another page of the bundle. Works without scripts, too. */
export function redirectPage({ path, to }: Redirect): string {
  const target = encodeAttribute(relativeReference(path, to), 'utf-8')
  const mark = /(^|\/)index\.html?$/.test(path) ? ' data-index=""' : ''
  return (
    `${start}${policy}"/>\n` +
    `<noscript><meta http-equiv="refresh" content="0; url=${target}"/></noscript>\n` +
    `<title>This page has moved</title>\n<p><a href="${target}"${mark}>This page has moved.</a></p>\n` +
    `<script>${script}</script>\n`
  )
}
