import { readFile, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decodeComponent } from '../../base/path-names.ts'
import type { ViewAnswerer } from '../../web/browser/viewer.ts'
import type { PlaceName } from '../model/report.ts'
import { servedType } from '../rewrite/media-types.ts'

/** A place where a bundle is opened. */
export interface Place {
  name: PlaceName
  /** The prefix of all addresses in this place. */
  root: string
  /** Returns the address of a page or file from its path in the bundle. */
  address(path: string): string
  answer: ViewAnswerer
}

/**
 * Serves a bundle without a server. The host exists only in the browser, and this module answers its requests.
 *
 * @param folder the unpacked bundle.
 * @param change changes a served page. Receives the path and the text as latin1.
 */
export function createPlace(
  name: PlaceName,
  folder: string,
  change: (path: string, text: string) => string = (_path, text) => text,
): Place {
  if (name === 'file') return createFilePlace(resolve(folder))
  // Browsers treat localhost as a secure context. Most documentation hosts are secure contexts, too.
  const root = name === 'root' ? 'http://localhost/' : 'http://localhost/any/sub/folder/'
  return {
    name,
    root,
    // Hosts serve index.html at the address of its folder.
    address: path =>
      root +
      path
        .split('/')
        .map(encodeURIComponent)
        .join('/')
        .replace(/(^|\/)index\.html$/, '$1'),
    async answer({ url, method }) {
      if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(root)) return null
      const path = decodeComponent(new URL(url).pathname.slice(new URL(root).pathname.length))
      const found = path === null ? null : await findFile(folder, path)
      if (found === null) return { status: 404, headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(0) }
      const type = servedType(found)
      const bytes = await readFile(join(folder, found))
      const body = type === 'text/html' ? Buffer.from(change(found, bytes.toString('latin1')), 'latin1') : bytes
      return { status: 200, headers: { 'content-type': type }, body }
    },
  }
}

function createFilePlace(folder: string): Place {
  return {
    name: 'file',
    root: `${pathToFileURL(folder).href}/`,
    address: path => pathToFileURL(join(folder, path)).href,
    async answer({ url }) {
      if (!url.startsWith('file:')) return null
      try {
        const file = resolve(fileURLToPath(new URL(url)))
        return file.startsWith(folder + sep) && (await isFile(file)) ? 'file' : null
      } catch {
        return null
      }
    },
  }
}

async function findFile(folder: string, path: string): Promise<string | null> {
  const indexes = (folder: string) => [`${folder}index.html`, `${folder}index.htm`]
  const candidates = path === '' || path.endsWith('/') ? indexes(path) : [path, `${path}.html`, ...indexes(`${path}/`)]
  for (const candidate of candidates) {
    const file = resolve(folder, candidate)
    if (file.startsWith(resolve(folder) + sep) && (await isFile(file))) return candidate
  }
  return null
}

async function isFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null)
  return found?.isFile() ?? false
}
