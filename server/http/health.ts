import { Router } from 'express'

/** `/healthz`: the process answers. `/readyz`: it can serve requests, 503 with the reason when it cannot. */
export function healthRouter(whyNotReady: () => string | undefined): Router {
  const router = Router()
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  router.get('/readyz', (_req, res) => {
    const reason = whyNotReady()
    res
      .status(reason === undefined ? 200 : 503)
      .json(reason === undefined ? { status: 'ready' } : { status: 'not ready', reason })
  })
  return router
}
