import { type Request, Router } from 'express'
import { relativePath } from '../../docs/relative-path.ts'
import type { FindServerAddress } from '../../http/server-address.ts'
import { dashboardPath, themePath } from '../frame.ts'
import { cookiePath } from './cookies.ts'
import { refuseForeignForm } from './errors.ts'
import { readForm } from './form.ts'
import { isFromOwnPage } from './same-origin.ts'
import { sendToPage } from './send-page.ts'
import { isTheme, themeCookie } from './theme-cookie.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

/** Stores the chosen theme in a cookie, so that the server writes pages in it and none of them flashes. It needs no session. */
export function themeRouter({ findAddress }: { findAddress: FindServerAddress }): Router {
  const router = Router()
  router.post('/theme', readForm, (req, res) => {
    const { url } = findAddress(req)
    if (!isFromOwnPage(req, url)) return refuseForeignForm(res)
    const theme = (res.locals.form as URLSearchParams).get('theme') ?? ''
    const isChosen = isTheme(theme) && theme !== 'system'
    res.cookie(themeCookie, isChosen ? theme : '', {
      httpOnly: true,
      sameSite: 'lax',
      secure: url.startsWith('https:'),
      path: cookiePath(url),
      maxAge: isChosen ? yearMs : 0,
    })
    sendToPage(res, relativePath(themePath, findPage(req, url)))
  })
  return router
}

/** The page of the dashboard from which a form was sent, with its query. An address with `//` could name another server. */
function findPage({ headers }: Request, publicUrl: string): string {
  const { pathname = '', search = '' } = URL.parse(headers.referer ?? '') ?? {}
  const folder = cookiePath(publicUrl)
  if (!pathname.startsWith(`${folder}/`) || pathname.includes('//')) return `${dashboardPath}/`
  return dashboardPath + pathname.slice(folder.length) + search
}
