import { encodeAttribute } from '../../web/html/text-encoding.ts'

/** Returns a small HTML page that redirects to `reference`. Used for redirects of the site. */
export function redirectPage(reference: string): string {
  const target = encodeAttribute(reference, 'utf-8')
  return (
    '<!doctype html>\n<meta charset="utf-8"/>\n' +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"/>\n` +
    `<meta http-equiv="refresh" content="0; url=${target}"/>\n` +
    `<title>This page has moved</title>\n<p><a href="${target}">This page has moved.</a></p>\n`
  )
}
