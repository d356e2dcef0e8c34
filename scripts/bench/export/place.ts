import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pageKey } from './list-pages.ts'
import { findFile, serveStatic } from './static-server.ts'

export type PlaceName = 'root' | 'folder' | 'file'
export const placeNames: readonly PlaceName[] = ['root', 'folder', 'file']

/** Where a site or a copy of it is opened. */
export interface Place {
  /** Address of its first folder, with a trailing slash. */
  root: string
  /** The only host that can be reached; null = none. */
  host: string | null
  /** Returns the address of a page, by its path at the origin; undefined if the copy does not have it. */
  addressOf(path: string): string | undefined
  /** Returns the key of the page at an address; undefined if it lies elsewhere. */
  keyOf(address: string): string | undefined
}

/** Describes the origin as a place. */
export function originPlace(root: string): Place {
  return {
    root,
    host: new URL(root).host,
    addressOf: path => new URL(path.slice(1), root).href,
    keyOf: address => keyBelow(root, address),
  }
}

/** Serves an unpacked bundle at the root of a host and in a folder of another one, and adds the place file://. */
export async function openPlaces(
  folder: string,
): Promise<{ places: Record<PlaceName, Place>; close(): Promise<void> }> {
  const atRoot = await serveStatic(folder, { redirectsFolders: true })
  const inFolder = await serveStatic(folder, { prefix: '/any/sub/folder/', redirectsFolders: true })
  const hosted = ({ href, host }: URL): Place => ({
    root: href,
    host,
    addressOf: path => (findFile(folder, path) ? new URL(path.slice(1), href).href : undefined),
    keyOf: address => keyBelow(href, address),
  })
  const fileRoot = pathToFileURL(join(folder, sep)).href
  return {
    places: {
      root: hosted(atRoot.root),
      folder: hosted(inFolder.root),
      file: {
        root: fileRoot,
        host: null,
        addressOf(path) {
          const found = findFile(folder, path)
          return found
            ? new URL(relative(folder, found.file).split(sep).map(encodeURIComponent).join('/'), fileRoot).href
            : undefined
        },
        keyOf: address => keyBelow(fileRoot, address),
      },
    },
    async close() {
      await atRoot.close()
      await inFolder.close()
    },
  }
}

function keyBelow(root: string, address: string): string | undefined {
  const url = URL.parse(address)
  if (!url) return undefined
  const bare = `${url.protocol}//${url.host}${url.pathname}`
  return `${bare}/`.startsWith(root) ? pageKey(`/${bare.slice(root.length)}`) : undefined
}
