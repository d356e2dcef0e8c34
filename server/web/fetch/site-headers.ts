/** Headers that every request to the site itself carries, and no other: in lower case, what lets an export in. */
export type SiteHeaders = Readonly<Record<string, string>>

/** Says what is wrong with a header, by its name and never by its value, which may be a secret. */
export class SiteHeaderError extends Error {}

/** What the fetcher says itself: how a body is packed, which one is meant, how long the connection lives. */
const own =
  /^(accept|accept-encoding|connection|content-.*|cookie2|expect|host|if-.*|keep-alive|proxy-.*|range|te|trailer|transfer-encoding|upgrade)$/

/**
 * Reads headers as they are written, `Name: value`.
 *
 * @throws {SiteHeaderError}
 */
export function parseSiteHeaders(texts: readonly string[]): SiteHeaders {
  const headers = new Map<string, string>()
  texts.forEach((text, index) => {
    const colon = text.indexOf(':')
    const name = text.slice(0, colon).trim().toLowerCase()
    if (colon === -1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new SiteHeaderError(`the ${ordinal(index)} header is no "Name: value"`)
    const value = text.slice(colon + 1).trim()
    if (own.test(name)) throw new SiteHeaderError(`${name} is a header that an export sets itself`)
    if (headers.has(name)) throw new SiteHeaderError(`${name} is given twice`)
    if (value === '') throw new SiteHeaderError(`${name} has no value`)
    if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(value))
      throw new SiteHeaderError(`the value of ${name} has characters that a header cannot hold`)
    headers.set(name, value)
  })
  return Object.fromEntries(headers)
}

function ordinal(index: number): string {
  return ['first', 'second', 'third'][index] ?? `${index + 1}th`
}
