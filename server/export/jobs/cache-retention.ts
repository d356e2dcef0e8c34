import type { Awaitable } from '../../base/awaitable.ts'
import type { Stoppable } from '../../base/background.ts'
import { repeat } from '../../base/timer.ts'

export interface CacheRetentionDeps {
  siteCaches: { forgetOthers(listDomains: () => Awaitable<string[]>): Promise<string[]> }
  sites: { list(): Awaitable<{ domain: string }[]> }
  log: Record<'info' | 'error', (details: object, message: string) => void>
  everyMs?: number
}

const hourMs = 60 * 60 * 1000

/**
 * Deletes the caches of sites that are no longer registered, every hour: a server on another machine deletes a site, but not its
 * cache on this one. `stop` waits for the current deletion.
 */
export function startCacheRetention({ siteCaches, sites, log, everyMs = hourMs }: CacheRetentionDeps): Stoppable {
  const listDomains = async () => (await sites.list()).map(({ domain }) => domain)
  const work = async () => {
    const deleted = await siteCaches.forgetOthers(listDomains)
    if (deleted.length > 0) log.info({ deleted }, 'deleted caches of sites that are not registered')
  }
  const failed = 'could not delete caches of sites that are not registered; the next attempt follows in an hour'
  return repeat(everyMs, work, { onError: err => log.error({ err }, failed) })
}
