import type { Request } from 'express'

/** Returns the values of a cookie that the browser sends. It sends several if the name was also set for another path or domain. */
export function readCookie(req: Request, name: string): string[] {
  return (req.headers.cookie ?? '')
    .split(';')
    .map(pair => pair.trim().split('=', 2))
    .filter(([found]) => found === name)
    .map(([, value = '']) => value)
}

/** The path of the dashboard where the browser reaches it, for its cookies. */
export function cookiePath(publicUrl: string): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}/dashboard`
}
