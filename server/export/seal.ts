/**
 * The policy that lets a page load from its own bundle only, whatever its scripts try. The site's inline scripts and
 * styles go on working. A rendered page has no scripts left, and none may run.
 */
export function sealPolicy(rendered: boolean): string {
  const scripts = rendered ? "; script-src 'none'" : ''
  return `default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'${scripts}; form-action 'self'; base-uri 'none'`
}

/** Stands in every sealed page; what else goes to the head of a page follows it. */
export const sealEnd = '<meta http-equiv="x-dns-prefetch-control" content="off"/>'

/**
 * What is put at the head of a page. The encoding comes first: HTML looks for it in the first 1024 bytes only, and in
 * a bundle no header tells it. Chromium looks up the hosts of links ahead of a click unless told not to, and every
 * browser asks the root of the host for an icon unless the page names one.
 *
 * @param icon address for a page that names none; null for one that does.
 */
export function sealMarkup(charset: string, rendered: boolean, icon: string | null): string {
  return (
    `<meta charset="${charset}"/>` +
    `<meta http-equiv="Content-Security-Policy" content="${sealPolicy(rendered)}"/>` +
    sealEnd +
    (icon === null ? '' : `<link rel="icon" href="${icon}"/>`)
  )
}

/** Where it goes: after the head tag, else after html, else after the doctype, so that the page keeps its mode. */
export function sealPosition(text: string, headEnd: number | null, htmlEnd: number | null): number {
  if (headEnd !== null) return headEnd
  if (htmlEnd !== null) return htmlEnd
  return (
    /^(?:\u00ef\u00bb\u00bf)?(?:\s|<!--[\s\S]*?-->|<\?xml[^>]*>)*<!doctype[^>]*>/i.exec(text)?.[0].length ??
    bomLength(text)
  )
}

function bomLength(text: string): number {
  return text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
}
