import type { RequestHandler } from 'express'
import { buildSitemap, type DocumentationFile, docsPath } from '../docs/documentation.ts'

/** Pages that need nothing but their own style sheet. */
const pagePolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the documentation of Quire; what is no page of it goes on to the next handler. */
export function serveDocumentation(files: ReadonlyMap<string, DocumentationFile>, publicUrl: string): RequestHandler {
  return (req, res, next) => {
    if (!req.path.startsWith(docsPath) || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    if (req.path === `${docsPath}/sitemap.xml`) {
      res.type('application/xml').send(buildSitemap(files, publicUrl))
      return
    }
    const file = files.get(req.path) ?? files.get(`${req.path}/`) ?? files.get(req.path.replace(/\/$/, ''))
    if (!file) return next()
    res.set({ 'Content-Security-Policy': pagePolicy, 'Content-Type': file.contentType }).send(file.body)
  }
}
