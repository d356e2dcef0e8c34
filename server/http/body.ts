import express, { type RequestHandler } from 'express'
import type { Route } from '../../generated/operations.ts'
import { HttpError } from './errors.ts'

/**
 * Reads the request body of operations that have one, and sets Content-Type to a fixed value: express-openapi-validator
 * compiles and keeps a validator for each raw Content-Type, so clients could fill the memory with them.
 */
export function readBody(route: Route, limitBytes: number): RequestHandler {
  if (!route.hasBody) {
    return (req, _res, next) => {
      delete req.headers['content-type']
      next()
    }
  }
  const parse = express.json({ limit: limitBytes, strict: false, type: () => true })
  return (req, res, next) => {
    if (!isJson(req.headers['content-type'])) {
      throw new HttpError(415, 'The request body must be JSON. Send it with Content-Type: application/json')
    }
    req.headers['content-type'] = 'application/json'
    parse(req, res, next)
  }
}

function isJson(contentType: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  return (
    mediaType.trim() === 'application/json' &&
    parameters.every(parameter => !parameter.includes('charset') || /^\s*charset\s*=\s*"?utf-8"?\s*$/.test(parameter))
  )
}
