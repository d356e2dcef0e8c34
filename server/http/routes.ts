import { type Route, routes } from '../../generated/operations.ts'

/** The path template of the document as Express writes it: `{id}` is `:id`. */
export function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

const patterns = routes.map(route => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))

/** The route that a method and a request target (undecoded, a query is ignored) lead to. HEAD leads where GET leads. */
export function findRoute(method: string, requestTarget: string): Route | undefined {
  const path = requestTarget.split('?', 1)[0] ?? ''
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === wanted && pattern.test(path))?.route
}
