import { redirectRequests } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'

/** Bundle path of the script that serves packed files of other hosts to the site's scripts. */
export const externalFilesPath = '_quire/external.js'

/**
 * Returns the script that pages load before the site's scripts when those scripts request files of other hosts.
 *
 * @param files bundle paths, by address.
 */
export function externalFilesScript(files: ReadonlyMap<string, string>): string {
  const encoded = [...files].map(([address, path]) => [address, path.split('/').map(encodeURIComponent).join('/')])
  return `${callScript(redirectRequests, Object.fromEntries(encoded))}\n`
}
