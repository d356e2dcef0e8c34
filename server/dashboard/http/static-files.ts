import { Router } from 'express'
import { findStaticFile } from '../static-files.ts'

/** Serves the style sheet and the scripts of the pages; everyone may read them. */
export function staticFiles(): Router {
  const router = Router()
  router.get('/static/:version/:name', (req, res, next) => {
    const file = findStaticFile(req.params.version, req.params.name)
    if (!file) return next()
    res
      .set({ 'Content-Type': file.contentType, 'Cache-Control': 'public, max-age=31536000, immutable' })
      .send(file.body)
  })
  return router
}
