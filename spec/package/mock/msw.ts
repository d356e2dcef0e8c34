import { bundlesPath } from './bundle-links.ts'
import { mocked } from './extensions.ts'
import { createMock, type Mock } from './mock.ts'
import { checkOptions, type MockOptions } from './options.ts'

/** The part of `http` of MSW (https://mswjs.io) that is used, in every version of it. */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { request: Request }) => Promise<Response>): Handler
}

export interface MockHandlersOptions extends MockOptions {
  /** The `baseUrl` of your client. Default: any origin, without a path. */
  baseUrl?: string
  /** A mock that you created, for example to change its settings in a test. The other options are set there, and not here. */
  mock?: Mock
}

/**
 * Creates handlers for `setupServer` and `setupWorker` of MSW: one for each path of the API, and one for bundles.
 *
 * @param http what `import { http } from 'msw'` gives
 * @throws {TypeError} with a sentence that names an option that cannot be used
 */
export function createHandlers<Handler>(http: MswHttp<Handler>, options: MockHandlersOptions = {}): Handler[] {
  checkOptions(options, 'createHandlers', ['baseUrl', 'mock'])
  const { baseUrl = '*', mock, ...own } = options
  const [other] = Object.keys(own)
  if (mock && other !== undefined) {
    throw new TypeError(`createHandlers has the option mock, so ${other} has no effect. Set ${other} in createMock.`)
  }
  const { answer } = mock ?? createMock(own)
  const base = readBase(baseUrl)
  const prefix = base === '*' ? '' : new URL(base, 'http://localhost').pathname.replace(/\/$/, '')
  const paths = [...new Set(mocked.routes.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'))), `${bundlesPath}/*`]
  return paths.map(path =>
    http.all(base + path, ({ request }) => {
      const { origin, pathname, search } = new URL(request.url)
      return answer(request, { target: pathname.slice(prefix.length) + search, baseUrl: origin + prefix })
    }),
  )
}

/** Returns the address without its last slash. */
function readBase(baseUrl: unknown): string {
  if (typeof baseUrl === 'string') {
    const isAddress = /^https?:\/\//.test(baseUrl) && URL.canParse(baseUrl)
    if (baseUrl === '*' || isAddress || /^\/(?!\/)/.test(baseUrl)) return baseUrl.replace(/\/$/, '')
  }
  throw new TypeError('baseUrl must be an http or https URL, or a path that begins with a slash. Example: /api')
}
