import { bundleRefusals } from '../../../server/http/bundle-refusals.ts'
import { HttpError, serverFault } from '../../../server/http/http-error.ts'

/** The errors of links to bundles, which the document does not list. */
const bundleErrors: readonly HttpError[] = [
  bundleRefusals.invalidLink(),
  bundleRefusals.gone(),
  new HttpError(500, 'internal_error', serverFault),
  new HttpError(503, 'shutting_down', 'The server is shutting down. Send the request again.', { 'Retry-After': '5' }),
]

/** Returns an error of links to bundles by its status; undefined if they have no such error. */
export function findBundleError(wanted: string | null): HttpError | undefined {
  return bundleErrors.find(({ status }) => String(status) === wanted)
}

export function explainNoBundleError(wanted: string): string {
  const statuses = bundleErrors.map(({ status }) => status).join(', ')
  return `A link to a bundle has no error ${wanted.slice(0, 80)}. Choose a status (${statuses}), or network.`
}
