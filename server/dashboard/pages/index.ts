import type { PageDefinition } from '../page.ts'
import { keysPage } from './keys.ts'
import { peoplePage } from './people.ts'
import { projectsPage } from './projects.ts'
import { sitePage } from './site.ts'

/** All pages of an organization. */
export const pages: readonly PageDefinition[] = [keysPage, projectsPage, sitePage, peoplePage]
