import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { HttpError } from './http-error.ts'

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
    return new HttpError(505, 'This server speaks HTTP/1.1. Send the request with HTTP/1.1.')
  const count = countHosts(req.rawHeaders)
  if (count !== 1 && !(count === 0 && req.httpVersion === '1.0')) {
    const found = count === 0 ? 'no Host header' : `${count} Host headers`
    return new HttpError(400, `The request has ${found}. Send exactly one.`)
  }
  if (count === 1 && !hostPattern.test(req.headers.host ?? '')) {
    return new HttpError(400, 'The Host header is not a host name with an optional port. Example: api.example.com')
  }
  const { expect } = req.headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new HttpError(417, 'The only supported value of Expect is 100-continue. Leave the header out.')
  }
  return undefined
}

/** Counts Host headers; Node keeps only the first in `headers`. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
