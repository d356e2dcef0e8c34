import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LostFolder } from '../../export/jobs/lost-folder.ts'
import type { SiteCaches } from '../../export/model/site-cache.ts'
import { makeFolder } from '../make-folder.ts'
import { privateFolder } from '../private-files.ts'
import { openSiteCache, type SiteCacheOptions } from './site-cache.ts'

/** Opens the caches of all sites, each in a separate folder. */
export function openSiteCaches({ folder, ...options }: SiteCacheOptions): SiteCaches {
  return {
    async open(domain) {
      makeFolder(folder, privateFolder)
      return openSiteCache({ ...options, folder: join(folder, siteCacheName(domain)) })
    },
    forget: domain => forgetSite(folder, domain),
  }
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
  const names = await readdir(folder).catch(() => [])
  const moved = names.filter(name => isSiteCacheName(name) && !known.has(name))
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

function isSiteCacheName(name: string): boolean {
  return /-[0-9a-f]{8}$/.test(name)
}
