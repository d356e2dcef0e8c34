import { type HostSwitches, writePolicy, writeSiteHeaders } from './policy.ts'
import { openServedVersion, type ServedVersion } from './serve/served-version.ts'
import type { ServedVersions } from './serve/site-handler.ts'
import type { HostFolder } from './versions/host-folder.ts'
import type { Version } from './versions/version.ts'

/** Earlier versions whose scripts may still be asked for by open pages. */
const maxEarlier = 2

export interface ActiveVersions extends ServedVersions {
  /** Answers all further requests from this version. */
  activate(version: Version): void
  /** Returns the version that is served; null = none yet. */
  currentVersion(): Version | null
}

export interface ActiveVersionsOptions {
  switches: HostSwitches
  corsOrigins: readonly string[]
  /** For the files of the current version in memory. */
  cacheBytes: number
  /** See `ServedVersionOptions`. */
  headStart: string
}

/** Keeps the version that is served, and those before it. */
export function createActiveVersions(
  folder: HostFolder,
  { switches, corsOrigins, cacheBytes, headStart }: ActiveVersionsOptions,
): ActiveVersions {
  // Caches keep one answer for each origin that may read the site.
  const vary = corsOrigins.length === 0 ? 'Accept-Encoding' : 'Accept-Encoding, Origin'
  const siteHeaders = writeSiteHeaders(switches.deployment)
  const open = ({ id, products }: Version, bytes: number) =>
    openServedVersion({
      id,
      folder: folder.pathOf(id),
      siteHeaders: [...siteHeaders, 'Quire-Bundle', id],
      policy: writePolicy(switches, products),
      vary,
      cacheBytes: bytes,
      headStart,
    })
  let current: { version: Version; served: ServedVersion } | null = null
  let earlier: { version: Version; served: ServedVersion }[] = []

  return {
    current: () => current?.served ?? null,
    currentVersion: () => current?.version ?? null,
    earlier: () => earlier.map(({ served }) => served),
    activate(version) {
      if (current?.version.id === version.id) return
      const before = current ? [{ version: current.version, served: open(current.version, 0) }] : []
      earlier = [...before, ...earlier].filter(each => each.version.id !== version.id).slice(0, maxEarlier)
      current = { version, served: open(version, cacheBytes) }
    },
  }
}
