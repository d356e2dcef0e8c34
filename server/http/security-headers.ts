import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * Sets the security headers of helmet for an API. Pages replace the content security policy with their own.
 *
 * helmet runs once, here, and not on each request, because none of its headers depends on the request.
 */
export function setSecurityHeaders(): RequestHandler {
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
