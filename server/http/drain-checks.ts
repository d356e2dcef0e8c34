import { createHash } from 'node:crypto'
import { Router } from 'express'

/** What lets services send their logs to this server; missing = the service is not answered. */
export interface DrainSettings {
  /** The code that Vercel shows when a drain is made. */
  vercelVerify: string | undefined
  /** The secrets that Vercel signs with. */
  vercelSecrets: readonly string[]
  /** The ids of Fastly's services that may send; `*` = each. */
  fastlyServices: readonly string[]
}

const visitsPaths = ['/quire/v1/visits', '/quire/v1/projects/:projectId/visits']

/**
 * Answers the requests by which Vercel and Fastly decide whether this host takes their logs. They have no key.
 *
 * Each answer to Vercel has the code, because Vercel does not document which request it checks.
 * https://vercel.com/docs/drains/security
 * https://www.fastly.com/documentation/guides/integrations/logging-endpoints/log-streaming-https
 */
export function answerDrainChecks({ vercelVerify, fastlyServices }: DrainSettings): Router {
  const router = Router({ caseSensitive: true })
  if (fastlyServices.length > 0) {
    const lines = fastlyServices.map(id => (id === '*' ? id : createHash('sha256').update(id).digest('hex')))
    router.get('/.well-known/fastly/logging/challenge', (_req, res) => {
      res.type('text/plain').send(`${lines.join('\n')}\n`)
    })
  }
  if (vercelVerify !== undefined) {
    router.all(visitsPaths, ({ method, headers, query }, res, next) => {
      res.set('x-vercel-verify', vercelVerify)
      const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
      const hasKey = headers.authorization !== undefined || query.key !== undefined
      if (method !== 'GET' && (method !== 'POST' || !isEmpty || hasKey)) return next()
      res.json({})
    })
  }
  return router
}
