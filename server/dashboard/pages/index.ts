import type { PageDefinition } from '../page.ts'
import { keysPage } from './keys.ts'

/** All pages of an organization. */
export const pages: readonly PageDefinition[] = [keysPage]
