import { type Route, routes } from '../../generated/operations.ts'
import type { Budget } from '../tenancy/rate-limit.ts'
import { HttpError } from './http-error.ts'

/** Converts a path template of the document to the syntax of Express: `{id}` becomes `:id`. */
export function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

const patterns = routes.map(route => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))

/** Finds the route of a method and an undecoded request target, whose query is ignored. HEAD finds the route of GET. */
export function findRoute(method: string, requestTarget: string): Route | undefined {
  const path = requestTarget.split('?', 1)[0] ?? ''
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === wanted && pattern.test(path))?.route
}

const beginnings = new Set(routes.map(({ path }) => readBeginning(path)))

/** The version of the API and the segment after it, such as `/v1/analytics`. */
function readBeginning(path: string): string {
  return path.split('/', 3).join('/')
}

/** Whether the path of an undecoded request target begins as paths of the document do, also if the document does not have it. */
export function isApiPath(requestTarget: string): boolean {
  return beginnings.has(readBeginning(requestTarget.split('?', 1)[0] ?? ''))
}

/** Returns the error of a request whose path or method is not in the document. */
export function refuseUnknown(method: string, requestTarget: string): HttpError {
  const methods = ['GET', 'POST'].filter(other => findRoute(other, requestTarget))
  return methods.length > 0 && !methods.includes(method)
    ? new HttpError(405, 'method_not_allowed', `This path accepts only ${methods.join(' and ')}.`, {
        Allow: methods.join(', '),
      })
    : new HttpError(404, 'unknown_path', 'There is nothing at this path. Compare it with the API reference.')
}

const limits = routes.flatMap(({ rateLimit }) => rateLimit ?? [])

/** The rate limits of all operations. Several operations may share one. */
export const budgets: readonly Budget[] = [...new Map(limits.map(limit => [limit.budget, limit])).values()]
