import type { Response } from 'express'

/**
 * Sends a value as JSON. Replaces the `json` of Express, which parses and formats the Content-Type and checks for 304 on
 * every response, although `answerUnchanged` has done that before (measured: see scripts/bench/RESULTS.md).
 */
export function sendJson(this: Response, value: unknown): Response {
  const text = JSON.stringify(value)
  this.setHeader('Content-Type', 'application/json; charset=utf-8')
  this.setHeader('Content-Length', Buffer.byteLength(text))
  return this.end(text)
}
