import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { HttpError } from './http-error.ts'

/** Headers that decide about the answer and may have one value only, by their names in lower case. */
const singleHeaders = new Map(
  ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key', 'Range', 'If-Range'].map(name => [
    name.toLowerCase(),
    name,
  ]),
)

const singleLengths = new Set([...singleHeaders.keys()].map(({ length }) => length))

const hostPattern = /^([\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(:\d*)?$/

/** Refuses requests that Node accepts although they violate HTTP/1.1 (RFC 9110, RFC 9112). */
export const refuseBadForm: RequestHandler = (req, _res, next) => {
  // HTTP/0.9 has no status line and no headers: an error would look like the content.
  if (req.httpVersionMajor < 1) return void req.socket.destroy()
  const error = findBadForm(req)
  if (error) throw error
  next()
}

/** Returns the error of a request that violates HTTP/1.1; undefined if there is none. */
export function findBadForm(req: IncomingMessage): HttpError | undefined {
  if (req.httpVersionMajor > 1)
    return new HttpError(
      505,
      'unsupported_http_version',
      'This server speaks HTTP/1.1. Send the request with HTTP/1.1.',
    )
  const { host, expect } = req.headers
  if (host === undefined && req.httpVersion !== '1.0')
    return new HttpError(400, 'invalid_host', 'The request has no Host header. Send exactly one.')
  const repeated = findRepeated(req.rawHeaders)
  if (repeated) return repeated
  if (host !== undefined && !hostPattern.test(host)) {
    return new HttpError(
      400,
      'invalid_host',
      'The Host header is not a host name with an optional port. Example: api.example.com',
    )
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new HttpError(
      417,
      'unsupported_expectation',
      'The only supported value of Expect is 100-continue. Leave the header out.',
    )
  }
  return undefined
}

/**
 * Returns the error of a request that repeats a header which may have one value only. Of some, Node keeps the first and drops
 * the others, and a proxy may have checked another one.
 */
export function findRepeated(rawHeaders: readonly string[]): HttpError | undefined {
  const seen: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    // Every request comes here, and few names have one of these lengths.
    const name = singleLengths.has(given.length) ? singleHeaders.get(given.toLowerCase()) : undefined
    if (name === undefined) continue
    if (seen.includes(name)) return repeatedHeader(name)
    seen.push(name)
  }
  return undefined
}

export function repeatedHeader(name: string): HttpError {
  return new HttpError(400, 'repeated_header', `The request has more than one ${name} header. Send exactly one.`)
}
