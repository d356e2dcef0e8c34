import { OperatorError } from '../../base/operator-error.ts'

/** Headers of every request to the site itself and to no other host, for example for a login. Names are in lower case. */
export type SiteHeaders = Readonly<Record<string, string>>

/** Headers that the fetcher sets itself: compression, conditions and the connection. */
const reserved =
  /^(accept|accept-encoding|connection|content-.*|cookie2|expect|host|if-.*|keep-alive|proxy-.*|range|te|trailer|transfer-encoding|upgrade)$/

/**
 * Parses headers in the form `Name: value`.
 *
 * @throws {OperatorError} with the name of the header and never its value, which may be a secret.
 */
export function parseSiteHeaders(texts: readonly string[]): SiteHeaders {
  const headers = new Map<string, string>()
  texts.forEach((text, index) => {
    const colon = text.indexOf(':')
    const name = text.slice(0, colon).trim().toLowerCase()
    if (colon === -1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      refuse(`the ${ordinal(index)} header is not written as "Name: value"`)
    const value = text.slice(colon + 1).trim()
    if (reserved.test(name)) refuse(`${name} is set by the export itself`)
    if (headers.has(name)) refuse(`${name} is given twice`)
    if (value === '') refuse(`${name} has no value`)
    if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(value))
      refuse(`the value of ${name} contains characters that are not allowed in a header`)
    headers.set(name, value)
  })
  return Object.fromEntries(headers)
}

function refuse(why: string): never {
  throw new OperatorError(why, 2)
}

function ordinal(index: number): string {
  return ['first', 'second', 'third'][index] ?? `${index + 1}th`
}
