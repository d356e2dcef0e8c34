import { Readable } from 'node:stream'
import type { Response } from 'express'
import { sendStream } from '../../http/send-stream.ts'
import type { FramedPage } from '../frame.ts'
import type { Answer } from '../page.ts'
import { readTheme } from './theme-cookie.ts'

/** Pages load the style sheet and the scripts of the dashboard, and nothing else: no script, style or frame in a page runs. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Sends a whole page. Pages show what only one person may see, so no cache keeps them. */
export function sendHtml(res: Response, status: number, page: FramedPage): void {
  res
    .status(status)
    .set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      // Without it, forms have `Origin: null` over plain http, and cannot be told from those of other sites.
      'Referrer-Policy': 'same-origin',
    })
    .send(page(readTheme(res.req)))
}

/** Leads to another page. The address is relative, so it works behind a proxy that adds a path. */
export function sendToPage(res: Response, address: string): void {
  res.status(303).set({ Location: address, 'Cache-Control': 'no-store' }).end()
}

/** Sends a file for the download folder of the browser. */
export async function sendDownload(
  res: Response,
  { fileName, contentType, body, sizeBytes }: Extract<Answer, { download: unknown }>['download'],
): Promise<void> {
  res.set({
    'Content-Type': contentType,
    ...(sizeBytes !== undefined && { 'Content-Length': String(sizeBytes) }),
    'Content-Disposition': `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, '_')}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'no-store',
  })
  if (typeof body === 'string') {
    res.send(body)
    return
  }
  await sendStream(res, body instanceof Readable ? body : Readable.from(body))
}
