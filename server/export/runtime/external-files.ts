import { redirectRequests } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'

/** Path in the bundle of the script that gives scripts of the site the packed files of other hosts. */
export const externalFilesPath = '_quire/external.js'

/**
 * The script that pages load before their own, when scripts of the site request files of other hosts.
 *
 * @param files paths in the bundle, by address.
 */
export function externalFilesScript(files: ReadonlyMap<string, string>): string {
  const encoded = [...files].map(([address, path]) => [address, path.split('/').map(encodeURIComponent).join('/')])
  return `${callScript(redirectRequests, Object.fromEntries(encoded))}\n`
}
