import type { RequestHandler } from 'express'
import type { Documentation } from '../docs/documentation.ts'
import { docsPath } from '../docs/pages.ts'
import { relativePath } from '../docs/relative-path.ts'
import { buildSitemap } from '../docs/sitemap.ts'
import { served } from './served-routes.ts'
import type { FindServerAddress } from './server-address.ts'
import { isBrowser } from './start.ts'

/** Pages load a style sheet and scripts, their search form leads to the search page, and the form of an operation asks this server. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Returns the documentation. The first call builds it. */
export type LoadDocumentation = () => Promise<Documentation>

/** Serves the documentation of Quire; other requests go to the next handler. */
export function serveDocumentation(load: LoadDocumentation, findAddress: FindServerAddress): RequestHandler {
  return async (req, res, next) => {
    if (!req.path.startsWith(docsPath) || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    const { files } = await load()
    if (req.path === `${docsPath}/sitemap.xml`) {
      res.type('application/xml').send(buildSitemap(files, findAddress(req).url))
      return
    }
    const file = files.get(req.path)
    if (file) {
      res.set({ 'Content-Security-Policy': pagePolicy, 'Content-Type': file.contentType }).send(file.body)
      return
    }
    // Links in a page are relative, so each page has one address, with or without a final slash.
    const other = req.path.endsWith('/') ? req.path.slice(0, -1) : `${req.path}/`
    if (files.has(other)) return res.redirect(308, relativePath(req.path, other))
    next()
  }
}

/** Answers a browser that asks for a missing page with a page. Other requests, also those of paths of the API, go to the next handler. */
export function answerMissingPages(load: LoadDocumentation): RequestHandler {
  return async (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isRead || !isBrowser(req) || served.isApiPath(req.originalUrl)) return next()
    const { writeMissingPage } = await load()
    const headers = { 'Content-Security-Policy': pagePolicy, 'Content-Type': 'text/html; charset=utf-8' }
    res.status(404).set(headers).vary('Accept').send(writeMissingPage(req.path))
  }
}
