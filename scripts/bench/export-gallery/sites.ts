import type { GallerySite } from './site.ts'
import { benchSites } from './sites-bench.ts'
import { builtSites } from './sites-built.ts'
import { debianManuals } from './sites-debian.ts'
import { programSites } from './sites-programs.ts'

/** All sites of the gallery. */
export const gallerySites: readonly GallerySite[] = [...benchSites, ...debianManuals, ...builtSites, ...programSites]

/** Sites that cannot be built, with the reason. */
export const leftOutSites: Readonly<Record<string, string>> = {}
