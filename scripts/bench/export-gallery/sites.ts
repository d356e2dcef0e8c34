import type { GallerySite } from './site.ts'
import { debianManuals } from './sites-debian.ts'

/** All sites of the gallery. */
export const gallerySites: readonly GallerySite[] = [...debianManuals]

/** Sites that cannot be built, with the reason. */
export const leftOutSites: Readonly<Record<string, string>> = {}
