/** Bytes at the start of a body that are looked at (WHATWG MIME Sniffing, 5.2). */
export const sniffedBytes = 1445

const tags = 'html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p'
const html = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!doctype html[ >]|(?:${tags})[ >]|!--)`, 'i')

/**
 * Whether a browser looks into the body of an answer to learn whether it is a page: when the type is missing or unknown, and
 * the server does not forbid it (WHATWG MIME Sniffing, 7).
 */
export function isSniffed(headers: Record<string, string>): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isUnknown = ['', '*/*', 'unknown/unknown', 'application/unknown'].includes(type)
  // The first of several values counts (Fetch, determine nosniff).
  const options = headers['x-content-type-options']?.split(',')[0]?.trim().toLowerCase()
  return isUnknown && options !== 'nosniff'
}

/** Whether a body that starts with these bytes is a page (WHATWG MIME Sniffing, 7.1). */
export function looksLikeHtml(start: Buffer): boolean {
  return html.test(start.subarray(0, sniffedBytes).toString('latin1'))
}
