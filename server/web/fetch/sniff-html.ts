/** So much of a body says what it is (WHATWG MIME Sniffing, 5.2). */
export const sniffedBytes = 1445

const tags = 'html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p'
const html = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!doctype html[ >]|(?:${tags})[ >]|!--)`, 'i')

/**
 * Whether a browser looks into the body of an answer to learn whether it is a page: when no type is told, or one that says
 * nothing, and the server does not forbid to look (WHATWG MIME Sniffing, 7).
 */
export function isSniffed(headers: Record<string, string>): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isUnknown = ['', '*/*', 'unknown/unknown', 'application/unknown'].includes(type)
  // Of several values the first counts (Fetch, determine nosniff).
  const options = headers['x-content-type-options']?.split(',')[0]?.trim().toLowerCase()
  return isUnknown && options !== 'nosniff'
}

/** Whether a body that begins like this is a page (WHATWG MIME Sniffing, 7.1). */
export function looksLikeHtml(start: Buffer): boolean {
  return html.test(start.subarray(0, sniffedBytes).toString('latin1'))
}
