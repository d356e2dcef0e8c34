import express, { type RequestHandler } from 'express'
import type { Route } from '../../generated/operations.ts'
import { isJson, jsonOnly } from './body-type.ts'

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
      throw jsonOnly()
    }
    req.headers['content-type'] = 'application/json'
    parse(req, res, next)
  }
}
