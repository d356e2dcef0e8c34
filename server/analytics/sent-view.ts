import { type Page, toPage, viewPath } from './page.ts'

/** The status that counts a request of the script. A server that answers with another one, such as 200, does not count it. */
export const countedStatus = 204

/**
 * Reads the page of a request for `viewPath`. A router may open the page without another request for it.
 *
 * @param query with or without its question mark; the protocol of a request line may follow
 * @param own the further pages of the project
 */
export function readSentPage(query: string, own?: { find(usual: Page, readTarget: () => string): Page }): Page {
  const end = query.search(/[ #]/)
  const path = new URLSearchParams(end === -1 ? query : query.slice(0, end)).get('page') ?? ''
  const page: Page = /^\/[!-~]*$/.test(path) ? toPage(path) : { refusal: 'bad-path' }
  return own?.find(page, () => path) ?? page
}

/** Returns the target of a request that counts a view of a page; the opposite of `readSentPage`. */
export function toViewTarget(path: string): string {
  return `${viewPath}?page=${encodeURIComponent(path)}`
}
