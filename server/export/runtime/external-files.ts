import { redirectRequests } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'

/** Bundle path of the script that serves packed files of other hosts to the site's scripts. */
export const externalFilesPath = '_quire/external.js'

/**
 * Returns the script that pages load before the site's scripts when those scripts request files of other hosts, or data of the
 * site by a query.
 *
 * @param external bundle paths, by address.
 * @param queried bundle paths, by the address of the site's data.
 */
export function externalFilesScript(
  external: ReadonlyMap<string, string>,
  queried: ReadonlyMap<string, string>,
): string {
  const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/')
  const own: Record<string, Record<string, string>> = {}
  for (const [address, path] of queried) {
    const { pathname, search } = new URL(address)
    own[pathname] = { ...own[pathname], [search]: encode(path) }
  }
  const files = Object.fromEntries([...external].map(([address, path]) => [address, encode(path)]))
  return `${callScript(redirectRequests, files, own)}\n`
}
