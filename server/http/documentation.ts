import type { RequestHandler } from 'express'
import type { DocumentationFile } from '../docs/documentation.ts'
import { docsPath } from '../docs/pages.ts'
import { relativePath } from '../docs/relative-path.ts'
import { buildSitemap } from '../docs/sitemap.ts'
import type { FindServerAddress } from './server-address.ts'

/** Pages load one style sheet, and their search form leads to the search page. */
const pagePolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const scriptPolicy = `${pagePolicy}; script-src 'self'`

/** Returns the files of the documentation by request path. The first call builds them. */
export type LoadDocumentation = () => Promise<ReadonlyMap<string, DocumentationFile>>

/** Serves the documentation of Quire; other requests go to the next handler. */
export function serveDocumentation(load: LoadDocumentation, findAddress: FindServerAddress): RequestHandler {
  return async (req, res, next) => {
    if (!req.path.startsWith(docsPath) || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    const files = await load()
    if (req.path === `${docsPath}/sitemap.xml`) {
      res.type('application/xml').send(buildSitemap(files, findAddress(req).url))
      return
    }
    const file = files.get(req.path)
    if (file) {
      const policy = file.hasScript ? scriptPolicy : pagePolicy
      res.set({ 'Content-Security-Policy': policy, 'Content-Type': file.contentType }).send(file.body)
      return
    }
    // Links in a page are relative, so each page has one address, with or without a final slash.
    const other = req.path.endsWith('/') ? req.path.slice(0, -1) : `${req.path}/`
    if (files.has(other)) return res.redirect(308, relativePath(req.path, other))
    next()
  }
}
