import { createHash } from 'node:crypto'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import { ExportError } from '../model/export-error.ts'
import type { Site } from '../model/site.ts'

/** The site's response for a page that does not exist. */
export interface MissingPage {
  /** 404 on most sites; 200 = the site has soft 404 pages. */
  status: number
  /** The URL after redirects. */
  url: URL
  /** The made-up address that was requested. */
  asked: URL
  /** The soft 404 page; null when there is none. */
  body: Buffer | null
}

const maxBodyBytes = 8 * 1024 ** 2

/** @throws {ExportError} when the site cannot be reached. */
export async function probeMissing(site: Site, fetcher: Fetcher): Promise<MissingPage> {
  // A hash avoids the addresses of real pages. Every export of the site requests the same address.
  const name = createHash('sha256').update(site.origin.href).digest('hex').slice(0, 16)
  const asked = new URL(`quire-${name}`, site.origin)
  try {
    const answer = await fetcher.open(asked, 'text/html,*/*;q=0.8')
    const isPage = answer.status === 200 && /html/.test(answer.type)
    if (isPage) return { status: 200, url: answer.url, asked, body: await answer.read(maxBodyBytes) }
    await answer.drop()
    return { status: answer.status === 200 ? 404 : answer.status, url: answer.url, asked, body: null }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const unreachable = explainUnreachable(site, error)
    if (unreachable) throw unreachable
    return { status: 404, url: asked, asked, body: null }
  }
}

/** Returns the error that ends the export after a failed first request; null when other requests may succeed. */
function explainUnreachable(site: Site, error: FetchError): ExportError | null {
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
