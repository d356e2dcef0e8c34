import { createHash } from 'node:crypto'
import { followRedirect } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import { encodeAttribute } from '../../web/html/text-encoding.ts'
import { relativeReference } from './layout.ts'

/** A page of the bundle that redirects to another page. Both are paths in the bundle. */
export interface Redirect {
  path: string
  to: string
}

/** A redirect has two addresses and a short script. */
const maxRedirectLength = 20_000

const script = callScript(followRedirect)
const scriptHash = createHash('sha256').update(script).digest('base64')
const policy = `default-src 'none'; script-src 'sha256-${scriptHash}'`

const start = `<!doctype html>\n<meta charset="utf-8"/>\n<meta http-equiv="Content-Security-Policy" content="`

/** Decides whether the text of a page was made by `redirectPage`, also by another version. */
export function isRedirectPage(text: string): boolean {
  return text.startsWith(`${start}default-src 'none'; script-src 'sha256-`) && text.length < maxRedirectLength
}

/** Returns a small HTML page that redirects to another page of the bundle. Works without scripts, too. */
export function redirectPage({ path, to }: Redirect): string {
  const target = encodeAttribute(relativeReference(path, to), 'utf-8')
  const mark = /(^|\/)index\.html?$/.test(path) ? ' data-index=""' : ''
  return (
    `${start}${policy}"/>\n` +
    `<noscript><meta http-equiv="refresh" content="0; url=${target}"/></noscript>\n` +
    `<title>This page has moved</title>\n<p><a href="${target}"${mark}>This page has moved.</a></p>\n` +
    `<script>${script}</script>\n`
  )
}
