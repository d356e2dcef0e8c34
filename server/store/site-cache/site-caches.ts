import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../base/awaitable.ts'
import { makeFolder } from '../../base/make-folder.ts'
import type { LostFolder } from '../../export/jobs/lost-folder.ts'
import type { SiteCaches } from '../../export/model/site-cache.ts'
import { privateFolder } from '../private-files.ts'
import { openSiteCache, type SiteCacheOptions } from './site-cache.ts'

/** No domain begins with it. */
const doomedPrefix = '_deleted_'

/** The caches of all sites on this machine. */
export interface StoredSiteCaches extends SiteCaches {
  /**
   * Deletes the caches of all other sites, but none that an export uses. `sortSiteCaches` has moved those of before the start, so these
   * sites were deleted since.
   *
   * @returns the names of the deleted caches.
   */
  forgetOthers(listDomains: () => Awaitable<string[]>): Promise<string[]>
}

/** Opens the caches of all sites, each in a separate folder. */
export function openSiteCaches({ folder, ...options }: SiteCacheOptions): StoredSiteCaches {
  return {
    async open(domain) {
      makeFolder(folder, privateFolder)
      return openSiteCache({ ...options, folder: join(folder, siteCacheName(domain)) })
    },
    forget: domain => forgetSite(folder, domain),
    async forgetOthers(listDomains) {
      const names = await listCacheNames(folder)
      // Listed afterwards, so that the cache of a site that was registered meanwhile is not among the names.
      const known = new Set((await listDomains()).map(siteCacheName))
      const deleted: string[] = []
      for (const name of names.filter(name => !known.has(name))) {
        if (await deleteUnused({ ...options, folder }, name)) deleted.push(name)
      }
      return deleted
    },
  }
}

/** Deletes a cache; returns false if an export uses it. */
async function deleteUnused({ folder, ...options }: SiteCacheOptions, name: string): Promise<boolean> {
  const cache = openSiteCache({ ...options, folder: join(folder, name) })
  if (!cache) return false
  // An export may begin now. It gets a new folder, and the name of this one is still that of a cache if the process is killed.
  const doomed = join(folder, `${doomedPrefix}${name}`)
  try {
    await rename(join(folder, name), doomed)
  } finally {
    await cache.close()
  }
  await rm(doomed, { recursive: true, force: true })
  return true
}

/** Returns the folder of the site caches in a data folder. */
export function siteCachesFolder(dataFolder: string): string {
  return join(dataFolder, 'sites')
}

/** Deletes the cache of a site. */
export async function forgetSite(folder: string, domain: string): Promise<void> {
  await rm(join(folder, siteCacheName(domain)), { recursive: true, force: true })
}

/**
 * Moves the caches of all other sites to the lost folder, and moves those of these sites back from there. Nothing is deleted,
 * because the list may come from an older backup of the database.
 *
 * @returns the names of the moved caches.
 */
export async function sortSiteCaches(
  folder: string,
  lost: LostFolder,
  domains: readonly string[],
): Promise<{ moved: string[]; recovered: string[] }> {
  const known = new Set(domains.map(siteCacheName))
  const moved = (await listCacheNames(folder)).filter(name => !known.has(name))
  for (const name of moved) await lost.take(join(folder, name))
  const recovered: string[] = []
  for (const { name, formerName } of await lost.list()) {
    if (!known.has(formerName) || existsSync(join(folder, formerName))) continue
    makeFolder(folder, privateFolder)
    await rename(lost.pathOf(name), join(folder, formerName))
    recovered.push(formerName)
  }
  return { moved, recovered }
}

/** Returns a readable and unique name for a domain. Some file systems reject names such as `[::1]:80`. */
export function siteCacheName(domain: string): string {
  const digest = createHash('sha256').update(domain).digest('hex').slice(0, 8)
  return `${domain.replace(/[^a-z0-9.-]+/gi, '_').slice(0, 100)}-${digest}`
}

async function listCacheNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(name => /-[0-9a-f]{8}$/.test(name))
}
