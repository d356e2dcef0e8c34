import type { BenchSite } from '../export/site.ts'
import { docsifySite } from '../export/site-docsify.ts'
import { docusaurusSite } from '../export/site-docusaurus.ts'
import { pythonSite } from '../export/site-python.ts'
import { starlightSite } from '../export/site-starlight.ts'
import { vitepressSite } from '../export/site-vitepress.ts'
import type { GallerySite } from './site.ts'

/** The sites of the benchmark `export`. */
export const benchSites: readonly GallerySite[] = [
  pythonSite,
  docusaurusSite,
  docsifySite,
  vitepressSite,
  starlightSite,
].map(toGallerySite)

function toGallerySite({ name, description, domain, prepare, hasFallback, app, search }: BenchSite): GallerySite {
  return {
    name,
    description,
    async prepare(cacheFolder) {
      const { folder, pages } = await prepare(cacheFolder)
      // The scripts of a single-page app make the links.
      return { folder, habits: { hasFallback }, ...(hasFallback ? { pages } : {}) }
    },
    ...(domain === undefined ? {} : { domain }),
    ...(app ? { hydrated: app.hydrated, themeToggle: app.themeToggle } : {}),
    ...(search ? { search: { ...search, queries: search.queries.slice(0, 3) } } : {}),
  }
}
