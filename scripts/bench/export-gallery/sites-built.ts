import type { GallerySite } from './site.ts'
import { antoraSite } from './site-antora.ts'
import { astroSite } from './site-astro.ts'
import { docusaurusBaseSite } from './site-docusaurus-base.ts'
import { eleventySite } from './site-eleventy.ts'
import { fumadocsSites } from './site-fumadocs.ts'
import { gatsbySite } from './site-gatsby.ts'
import { honkitSite } from './site-honkit.ts'
import { jsdocSite } from './site-jsdoc.ts'
import { nextraSites } from './site-nextra.ts'
import { nuxtSite } from './site-nuxt.ts'
import { referenceSites } from './site-references.ts'
import { rspressSite } from './site-rspress.ts'
import { storybookSite } from './site-storybook.ts'
import { sveltekitSite } from './site-sveltekit.ts'
import { typedocSite } from './site-typedoc.ts'
import { vuepressSite } from './site-vuepress.ts'

/** Sites that npm builds. */
export const builtSites: readonly GallerySite[] = [
  docusaurusBaseSite,
  vuepressSite,
  ...nextraSites,
  ...fumadocsSites,
  gatsbySite,
  sveltekitSite,
  nuxtSite,
  astroSite,
  rspressSite,
  storybookSite,
  eleventySite,
  antoraSite,
  honkitSite,
  typedocSite,
  jsdocSite,
  ...referenceSites,
]
