import { type AnyRoute, routes } from '../../generated/operations.ts'
import type { Budget } from '../tenancy/rate-limit.ts'
import { HttpError } from './http-error.ts'

/** Converts a path template of the document to the syntax of Express: `{id}` becomes `:id`. */
export function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Finds the operations of a document by the method and the path of requests. */
export interface RouteTable<Found extends AnyRoute = AnyRoute> {
  routes: readonly Found[]
  /** Finds the route of a method and an undecoded request target, whose query is ignored. HEAD finds the route of GET. */
  findRoute(method: string, requestTarget: string): Found | undefined
  /** Whether the path of an undecoded request target begins as paths of the document do, also if the document does not have it. */
  isApiPath(requestTarget: string): boolean
  /** Returns the error of a request whose path or method is not in the document. */
  refuseUnknown(method: string, requestTarget: string): HttpError
}

export function createRouteTable<Found extends AnyRoute>(all: readonly Found[]): RouteTable<Found> {
  const patterns = all.map(route => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  const beginnings = new Set(all.map(({ path }) => readBeginning(path)))
  const readPath = (requestTarget: string) => requestTarget.split('?', 1)[0] ?? ''
  function findRoute(method: string, requestTarget: string): Found | undefined {
    const path = readPath(requestTarget)
    const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
    return patterns.find(({ route, pattern }) => route.method === wanted && pattern.test(path))?.route
  }
  return {
    routes: all,
    findRoute,
    isApiPath: requestTarget => beginnings.has(readBeginning(readPath(requestTarget))),
    refuseUnknown(method, requestTarget) {
      const methods = ['GET', 'POST', 'PUT', 'DELETE'].filter(other => findRoute(other, requestTarget))
      return methods.length > 0 && !methods.includes(method)
        ? new HttpError(405, 'method_not_allowed', `This path accepts only ${methods.join(' and ')}.`, {
            Allow: methods.join(', '),
          })
        : new HttpError(404, 'unknown_path', 'There is nothing at this path. Compare it with the API reference.')
    },
  }
}

/** The version of the API and the segment after it, such as `/v1/analytics`. */
function readBeginning(path: string): string {
  return path.split('/', 3).join('/')
}

/** The operations of the administration API. */
export const administration = createRouteTable(routes)
export const { findRoute, isApiPath, refuseUnknown } = administration

const limits = routes.flatMap(({ rateLimit }) => rateLimit ?? [])

/** The rate limits of all operations. Several operations may share one. */
export const budgets: readonly Budget[] = [...new Map(limits.map(limit => [limit.budget, limit])).values()]
