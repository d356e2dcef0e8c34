import type { FetchError } from '../../web/fetch/fetch-error.ts'
import { ExportError } from '../model/export-error.ts'
import type { Site } from '../model/site.ts'

/** Returns the error that ends the export after a failed first request; null when other requests may succeed. */
export function explainUnreachable(site: Site, error: FetchError): ExportError | null {
  if (error.code === 'forbidden') {
    const message = `${error.message}; set the site's origin (--origin) if it is meant to be exported from there.`
    return new ExportError(message, 'forbidden_address', { cause: error })
  }
  if (error.code === 'certificate')
    return new ExportError(`${site.domain} cannot be trusted: ${error.message}.`, 'unreachable', { cause: error })
  if (error.code !== 'network') return null
  const message = `${site.domain} cannot be reached (${error.message}); check its domain and origin.`
  return new ExportError(message, 'unreachable', { cause: error })
}
