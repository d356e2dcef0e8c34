import type { FetchError } from '../../web/fetch/fetch-error.ts'
import { ExportError } from '../model/export-error.ts'
import type { Site } from '../model/site.ts'

/** Returns the error that ends the export after a failed first request; null when other requests may succeed. */
export function explainUnreachable(site: Site, error: FetchError): ExportError | null {
  if (error.code === 'forbidden') {
    const message = `${error.message}. To export the site from this address, set it as the site's origin (--origin).`
    return new ExportError(message, 'forbidden_address', { cause: error })
  }
  if (error.code === 'certificate')
    return new ExportError(`${site.domain} cannot be trusted: ${error.message}.`, 'unreachable', { cause: error })
  if (error.code !== 'network') return null
  const message = `${site.domain} cannot be reached (${error.message}); check its domain and origin.`
  return new ExportError(message, 'unreachable', { cause: error })
}
