/** Number of bytes checked at the start of a body (WHATWG MIME Sniffing, 5.2). */
export const sniffedBytes = 1445

const tags = 'html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p'
const html = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!doctype html[ >]|(?:${tags})[ >]|!--)`, 'i')

/**
 * Decides whether a browser checks the body of an answer to detect a page: the type is missing or unknown, and the server
 * does not forbid the check (WHATWG MIME Sniffing, 7).
 */
export function isSniffed(headers: Record<string, string>): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isUnknown = ['', '*/*', 'unknown/unknown', 'application/unknown'].includes(type)
  // The first of several values applies (Fetch, determine nosniff).
  const options = headers['x-content-type-options']?.split(',')[0]?.trim().toLowerCase()
  return isUnknown && options !== 'nosniff'
}

/** Decides whether a body that starts with these bytes is a page (WHATWG MIME Sniffing, 7.1). */
export function looksLikeHtml(start: Buffer): boolean {
  return html.test(start.subarray(0, sniffedBytes).toString('latin1'))
}
