import type { RequestHandler } from 'express'
import { relativePath } from '../../docs/relative-path.ts'
import { dashboardPath, organizationPath } from '../frame.ts'
import { pages } from '../pages/index.ts'
import { sendToPage } from './send-page.ts'

/**
 * Redirects an address to its page: one with a missing or extra final slash, or one of a form's action, which a browser asks for when
 * somebody presses Enter in its address field.
 */
export const correctAddress: RequestHandler = (req, res, next) => {
  const path = req.originalUrl.split('?', 1)[0] ?? ''
  const [, organizationId = '', ...rest] = path.slice(dashboardPath.length).split('/')
  if (!organizationId.startsWith('org_')) return next()
  if (rest.length === 0) return sendToPage(res, relativePath(path, `${path}/`))
  if (rest.length > 1 && rest.at(-1) === '') return sendToPage(res, relativePath(path, path.slice(0, -1)))
  if (!pages.some(page => Object.keys(page.actions ?? {}).some(name => isAction(page.path, name, rest)))) return next()
  const page = rest.slice(0, -1).map(part => `/${part}`)
  sendToPage(res, relativePath(path, organizationPath(organizationId, page.join(''))))
}

/** Whether the parts of a path name an action of a page. */
function isAction(pagePath: string, action: string, parts: readonly string[]): boolean {
  const wanted = [...pagePath.split('/').slice(1), action]
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at])
}
