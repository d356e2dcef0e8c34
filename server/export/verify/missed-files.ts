import type { PageLook } from '../../web/browser/page-look.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import { assetKey, type Site } from '../model/site.ts'
import type { FileSource } from './file-source.ts'
import type { Place } from './places.ts'

const maxMissed = 500

/** Collects the failed requests of the pages of a bundle. */
export interface MissedFiles {
  note(look: PageLook, place: Place): void
  /** Returns whether a failed request was for a file that the bundle may have once it is written again. */
  isWaiting(written: ReadonlyMap<string, string>): boolean
  /**
   * Fetches the files from the site and from other hosts. Returns true if a file was found that the bundle lacks.
   *
   * @param written paths of the files in the bundle, by key.
   */
  fetch(written: ReadonlyMap<string, string>): Promise<boolean>
}

export function createMissedFiles(
  { site, files, scripted }: Pick<CollectedSite, 'site' | 'files' | 'scripted'>,
  source: FileSource,
): MissedFiles {
  const missed = new Map<string, URL>()
  const isFile = (key: string) => files.get(key)?.state === 'file'
  const isUnlinked = (key: string) => isFile(key) && !scripted.has(key)
  return {
    // A page that is opened at the origin also fetches files, such as pictures.
    isWaiting: written =>
      [...missed.keys()].some(
        key => !files.has(key) || (isFile(key) && !written.has(key)) || (isUnlinked(key) && !site.own(new URL(key))),
      ),
    note({ failed }, place) {
      for (const address of failed) {
        const url = missed.size < maxMissed ? locate(site, address, place) : null
        if (url) missed.set(assetKey(site.own(url) ?? url), url)
      }
    },
    async fetch(written) {
      // Failed files are not retried. For a packed file, only the link to it may be missing.
      const fresh = [...missed].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([key]) => !files.has(key))
      const unlinked = [...missed.keys()].filter(isUnlinked)
      const known = [...missed.keys()].filter(isFile)
      missed.clear()
      for (const [, url] of fresh) {
        source.needScripted(url)
        source.needLoaded(url)
      }
      for (const key of unlinked) source.needScripted(new URL(key))
      await source.finish()
      return (
        fresh.some(([key]) => isFile(key)) ||
        unlinked.some(key => scripted.has(key)) ||
        known.some(key => !written.has(key))
      )
    },
  }
}

/** Returns the URL on the site for an address in a place; null when there is none. Keeps addresses of other hosts. */
function locate({ origin }: Site, address: string, place: Place): URL | null {
  const host = place.name === 'file' ? place.root : new URL('/', place.root).href
  if (!address.startsWith(host)) return /^https?:/.test(address) ? URL.parse(address) : null
  // In a folder of a host, the site's own scripts also request files from the root.
  const path = address.slice(address.startsWith(place.root) ? place.root.length : host.length)
  return URL.parse(`/${path.split('#', 1)[0]}`, origin)
}
