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

const script = callScript(followRedirect)
const scriptHash = createHash('sha256').update(script).digest('base64')
const policy = `default-src 'none'; script-src 'sha256-${scriptHash}'`

/** Returns a small HTML page that redirects to another page of the bundle. Works without scripts, too. */
export function redirectPage({ path, to }: Redirect): string {
  const target = encodeAttribute(relativeReference(path, to), 'utf-8')
  const mark = /(^|\/)index\.html?$/.test(path) ? ' data-index=""' : ''
  return (
    '<!doctype html>\n<meta charset="utf-8"/>\n' +
    `<meta http-equiv="Content-Security-Policy" content="${policy}"/>\n` +
    `<noscript><meta http-equiv="refresh" content="0; url=${target}"/></noscript>\n` +
    `<title>This page has moved</title>\n<p><a href="${target}"${mark}>This page has moved.</a></p>\n` +
    `<script>${script}</script>\n`
  )
}
