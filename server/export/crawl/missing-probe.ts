/** `status` is 404 on most sites; 200 means soft 404s, and `body` is what they look like. `url` is after redirects. */

import { createHash } from 'node:crypto'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import type { Site } from '../model/site.ts'
import { explainUnreachable } from './explain-unreachable.ts'

export interface MissingPage {
  status: number
  url: URL
  asked: URL
  body: Buffer | null
}

export async function probeMissing(site: Site, fetcher: Fetcher): Promise<MissingPage> {
  // No page has this address by chance, and a second export asks for the same one.
  const name = createHash('sha256').update(site.origin.href).digest('hex').slice(0, 16)
  const asked = new URL(`quire-${name}`, site.origin)
  try {
    const answer = await fetcher.open(asked, 'text/html,*/*;q=0.8')
    const isPage = answer.status === 200 && /html/.test(answer.type)
    if (!isPage) {
      await answer.drop()
      return { status: answer.status === 200 ? 404 : answer.status, url: answer.url, asked, body: null }
    }
    return { status: 200, url: answer.url, asked, body: await answer.read(8 * 1024 ** 2) }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const hopeless = explainUnreachable(site, error)
    if (hopeless) throw hopeless
    return { status: 404, url: asked, asked, body: null }
  }
}
