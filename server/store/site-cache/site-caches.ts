import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SiteCaches } from '../../export/model/site-cache.ts'
import { makeFolder } from '../make-folder.ts'
import { openSiteCache, type SiteCacheOptions } from './site-cache.ts'

/** Opens the caches of all sites, each in a separate folder. */
export function openSiteCaches({ folder, ...options }: SiteCacheOptions): SiteCaches {
  return {
    async open(domain) {
      makeFolder(folder, 0o700)
      return openSiteCache({ ...options, folder: join(folder, folderName(domain)) })
    },
    forget: domain => forgetSite(folder, domain),
    async keepOnly(domains) {
      const known = new Set(domains.map(folderName))
      for (const name of await readdir(folder).catch(() => []))
        if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}

/** Returns the folder of the site caches in a data folder. */
export function siteCachesFolder(dataFolder: string): string {
  return join(dataFolder, 'sites')
}

/** Deletes the cache of a site. */
export async function forgetSite(folder: string, domain: string): Promise<void> {
  await rm(join(folder, folderName(domain)), { recursive: true, force: true })
}

/** Returns a readable and unique name for a domain. Some file systems reject names such as `[::1]:80`. */
function folderName(domain: string): string {
  const digest = createHash('sha256').update(domain).digest('hex').slice(0, 8)
  return `${domain.replace(/[^a-z0-9.-]+/gi, '_').slice(0, 100)}-${digest}`
}
