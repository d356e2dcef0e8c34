import type { PageLook } from '../../web/browser/viewer.ts'
import { finishFiles } from '../crawl/crawl.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import { needLoaded, needScripted } from '../crawl/need-file.ts'
import { assetKey } from '../model/site.ts'
import type { Place } from './places.ts'

/** How often a bundle is written anew with what its check missed. */
export const maxRounds = 3
const maxMissed = 500

/** Gathers what pages of a bundle ask for in vain. */
export interface MissedFiles {
  note(look: PageLook, place: Place): void
  /** Fetches those from the site and from other hosts that are there. Gives whether the bundle lacks any of them. */
  fetch(): Promise<boolean>
}

export function createMissedFiles(state: CrawlState): MissedFiles {
  const missed = new Map<string, URL>()

  /** The address on the site that stands behind one in a place; of another host as it is. */
  function locate(address: string, place: Place): URL | null {
    const host = place.name === 'file' ? place.root : new URL('/', place.root).href
    if (!address.startsWith(host)) return /^https?:/.test(address) ? URL.parse(address) : null
    // In a folder the site's own scripts ask the root of the host, too.
    const path = address.slice(address.startsWith(place.root) ? place.root.length : host.length)
    return URL.parse(`/${path.replace(/#.*$/, '')}`, state.site.origin)
  }

  return {
    note({ failed }, place) {
      for (const address of failed) {
        const url = missed.size < maxMissed ? locate(address, place) : null
        if (url) missed.set(assetKey(state.site.own(url) ?? url), url)
      }
    },
    async fetch() {
      // What was asked for before and is not here is not there either; a packed file is only led to.
      const fresh = [...missed].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([key]) => !state.files.has(key))
      const unled = [...missed.keys()].filter(key => state.files.get(key)?.state === 'file' && !state.scripted.has(key))
      missed.clear()
      for (const [, url] of fresh) {
        needScripted(state, url, 'asset')
        needLoaded(state, url)
      }
      for (const key of unled) needScripted(state, new URL(key), 'asset')
      await finishFiles(state)
      const isThere = (key: string) => state.files.get(key)?.state === 'file'
      return fresh.some(([key]) => isThere(key)) || unled.some(key => state.scripted.has(key))
    },
  }
}
