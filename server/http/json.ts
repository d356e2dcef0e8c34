import type { Response } from 'express'

/**
 * Answers a value as JSON. Stands in for the `json` of Express, which on every answer parses and formats the Content-Type
 * and looks for a reason to say 304, although no answer of the API has an ETag (measured: see scripts/bench/RESULTS.md).
 */
export function sendJson(this: Response, value: unknown): Response {
  const text = JSON.stringify(value)
  this.setHeader('Content-Type', 'application/json; charset=utf-8')
  this.setHeader('Content-Length', Buffer.byteLength(text))
  return this.end(text)
}
