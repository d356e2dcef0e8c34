import { Router } from 'express'

/** `/healthz` answers 200 while the process runs; `/readyz` answers 503 with the reason when it cannot serve requests. */
export function healthRouter(whyNotReady: () => Promise<string | undefined>): Router {
  const router = Router()
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  router.get('/readyz', async (_req, res) => {
    const reason = await whyNotReady()
    res
      .status(reason === undefined ? 200 : 503)
      .json(reason === undefined ? { status: 'ready' } : { status: 'not ready', reason })
  })
  return router
}
