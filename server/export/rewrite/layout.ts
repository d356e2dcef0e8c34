import { encodeSegment, foldName, markSegment, safeSegment } from './file-name.ts'
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
export const externalFolder = '_external'

const maxPathBytes = 240

/** The first file that a reader opens. */
const entrance = 'index.html'

/** Names at the root of a bundle that Quire reserves. */
const ownNames = ['export-report.json', 'export-report.html', '_quire', externalFolder]

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
export function getsExtension({ pathname }: URL): boolean {
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
