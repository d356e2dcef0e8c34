import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Express, type RequestHandler, type Response, Router } from 'express'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { endedRequests } from '../base/measures.ts'
import { bundlesPath } from '../export/jobs/bundle-link.ts'
import { answerErrors, answerUnknownPaths } from './errors.ts'
import { createOperationsApp } from './mount.ts'
import { refuseBadForm } from './request-form.ts'
import { assignRequestId } from './request-id.ts'

/**
 * Creates what every request goes through first.
 *
 * @param slowMs from which duration on the line of a request is a warning; null = never.
 */
export function createPipeline(log: Logger, slowMs: number | null): Express {
  const app = createOperationsApp()
  app.use(assignRequestId)
  app.use(logRequests(log, slowMs))
  app.use(setSecurityHeaders())
  app.use(refuseBadForm)
  return app
}

/** Creates the pipeline of a server that only runs exports: it says whether it can work. */
export function createHealthApp({
  whyNotReady,
  log,
  slowMs,
}: {
  whyNotReady(): Promise<string | undefined>
  log: Logger
  slowMs: number | null
}): Express {
  const app = createPipeline(log, slowMs)
  app.use(healthRouter(whyNotReady))
  app.use(answerUnknownPaths)
  app.use(answerErrors(log))
  return app
}

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

const maxPathCharacters = 256

/** Logs one line per request when the response or the connection ends; never a query, a header or a bundle link. */
function logRequests(log: Logger, slowMs: number | null): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const line = {
        requestId: res.locals.requestId,
        traceId: res.locals.traceId,
        method: req.method,
        path: loggedPath(req.originalUrl),
        operationId: res.locals.operationId,
        status: res.writableFinished ? res.statusCode : 499,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        organizationId: res.locals.caller?.organizationId,
        keyId: res.locals.caller?.keyId,
      }
      if (slowMs !== null && line.durationMs >= slowMs && !waitsForClient(req.originalUrl, res))
        log.warn(line, 'slow request')
      else log.info(line, 'request')
      tellOfEnd(line, res)
    })
    next()
  }
}

/** Whether the client decides how long an answer takes: it downloads a bundle, or asked to wait for a change. */
function waitsForClient(requestTarget: string, res: Response): boolean {
  return requestTarget.startsWith(`${bundlesPath}/`) || res.hasHeader('Preference-Applied')
}

function tellOfEnd(line: { operationId?: string; status: number; durationMs: number }, { locals }: Response): void {
  if (!endedRequests.isHeard) return
  const { operationId: operation, status, durationMs } = line
  endedRequests.tell({ operation, status, seconds: durationMs / 1000, code: locals.errorCode, budget: locals.budget })
}

function loggedPath(requestTarget: string): string {
  const path = requestTarget.split('?', 1)[0] ?? ''
  if (path.startsWith(`${bundlesPath}/`)) return `${bundlesPath}/...`
  return path.length > maxPathCharacters ? `${path.slice(0, maxPathCharacters)}...` : path
}

/**
 * Sets the security headers of helmet for an API. Pages replace the content security policy with their own.
 *
 * helmet runs once, here, and not on each request, because none of its headers depends on the request.
 */
function setSecurityHeaders(): RequestHandler {
  const headers = collectHeaders(
    helmet({
      // Subdomains may belong to others.
      strictTransportSecurity: { includeSubDomains: false },
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { 'default-src': "'none'", 'frame-ancestors': "'none'" },
      },
    }),
  )
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value)
    next()
  }
}

type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** Runs a middleware once without a real request, and returns the headers that it sets. */
function collectHeaders(middleware: Middleware): [name: string, value: string][] {
  const headers: [string, string][] = []
  const res = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  }
  middleware({} as IncomingMessage, res as unknown as ServerResponse, error => {
    if (error) throw error
  })
  return headers
}
