import { routes } from '../../../generated/operations.ts'
import { bundlesPath } from './bundle-links.ts'
import { createMock, type Mock, type MockOptions } from './mock.ts'

/** The part of `http` of MSW (https://mswjs.io) that is used, in every version of it. */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { request: Request }) => Promise<Response>): Handler
}

export interface MockHandlersOptions extends MockOptions {
  /** The `baseUrl` of your client. Default: any origin, without a path. */
  baseUrl?: string
  /** A mock that you created, for example to change its settings in a test. */
  mock?: Mock
}

/**
 * Creates handlers for `setupServer` and `setupWorker` of MSW: one for each path of the API, and one for bundles.
 *
 * @param http what `import { http } from 'msw'` gives
 */
export function createHandlers<Handler>(
  http: MswHttp<Handler>,
  { baseUrl = '*', mock, ...options }: MockHandlersOptions = {},
): Handler[] {
  const { answer } = mock ?? createMock(options)
  const base = baseUrl.replace(/\/$/, '')
  const prefix = base === '*' ? '' : new URL(base, 'http://localhost').pathname.replace(/\/$/, '')
  const paths = [...new Set(routes.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'))), `${bundlesPath}/*`]
  return paths.map(path =>
    http.all(base + path, ({ request }) => {
      const { origin, pathname, search } = new URL(request.url)
      return answer(request, { target: pathname.slice(prefix.length) + search, baseUrl: origin + prefix })
    }),
  )
}
