import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request, Response } from 'express'
import { cookiePath, readCookie } from './cookies.ts'

/** Browsers send cookies to all ports of a host, so each server there has a name of its own. */
function nameCookie(publicUrl: string): string {
  const { port } = new URL(publicUrl)
  return port === '' ? 'quire_session' : `quire_session_${port}`
}

/** Returns the secret of the session that the browser sends; undefined if it sends none. */
export function readSessionCookie(req: Request, publicUrl: string): string | undefined {
  return readCookie(req, nameCookie(publicUrl)).find(secret => /^[\w-]{43}$/.test(secret))
}

/**
 * Stores the secret of a session in the browser: no script can read it, and the browser does not send it with requests that another
 * site causes.
 *
 * @param publicUrl where the browser reaches the server
 * @param maxAgeMs undefined = the browser forgets the secret now
 */
export function setSessionCookie(res: Response, publicUrl: string, secret: string, maxAgeMs?: number): void {
  res.cookie(nameCookie(publicUrl), secret, {
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
    path: cookiePath(publicUrl),
    maxAge: maxAgeMs ?? 0,
  })
}

/** Creates the token of the forms of a session. Another site cannot know it, so it cannot send a form for a signed-in person. */
export function createFormToken(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('form').digest('base64url')
}

/** Checks the token of a form in constant time. */
export function isFormToken(sessionSecret: string, token: string): boolean {
  const wanted = Buffer.from(createFormToken(sessionSecret))
  const given = Buffer.from(token)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
