import type { Request } from 'express'

/** Returns the value of a cookie that the browser sends; undefined if it sends none of this name. */
export function readCookie(req: Request, name: string): string | undefined {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const [found, value] = pair.trim().split('=', 2)
    if (found === name) return value
  }
  return undefined
}

/** The path of the dashboard where the browser reaches it, for its cookies. */
export function cookiePath(publicUrl: string): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}/dashboard`
}
