import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { findAttribute, scanHtml } from '../../web/html/html-scan.ts'
import { createHeadStart } from '../../web/html/splice.ts'
import type { Encoding } from '../versions/version.ts'

const packBrotli = promisify(brotliCompress)
const packGzip = promisify(gzip)
/** A page is compressed again for each request that the cache does not answer, so it is not done as well as for a version. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Decides by its name whether a file is a page, whose head scripts can be added to. */
export function isPage(name: string): boolean {
  return /\.html?$/i.test(name)
}

/** Reads a page, adds markup to its head, and compresses it; an encoding of null = it stays as it is. */
export async function packPage(
  file: string,
  markup: string,
  encoding: Encoding | null,
): Promise<{ file: string; body: Buffer; sizeBytes: number; encoding: Encoding | null }> {
  return {
    file,
    ...(await packBody(
      addToHead(await readFile(file), markup, () => true),
      encoding,
    )),
  }
}

/** Compresses what is made for a request. */
export async function packBody(
  plain: Buffer,
  encoding: Encoding | null,
): Promise<{ body: Buffer; sizeBytes: number; encoding: Encoding | null }> {
  const body =
    encoding === 'br' ? await packBrotli(plain, brotliOptions) : encoding === 'gzip' ? await packGzip(plain) : plain
  return { body, sizeBytes: body.length, encoding }
}

/**
 * Makes the links of a site's page for missing addresses work at every address. They are relative to the root. The added `base`
 * comes before the policy that an export writes into the page, which would forbid it.
 */
export function adaptNotFoundPage(page: Buffer, base = ''): Buffer {
  return addToHead(page, `<base href="${base}/"/>`, hasBase => !hasBase)
}

/** Adds markup before everything else in the head of a page, if `decide` returns true. All other bytes stay. */
function addToHead(page: Buffer, markup: string, decide: (hasBase: boolean) => boolean): Buffer {
  const text = page.toString('latin1')
  const head = createHeadStart()
  let hasBase = false
  scanHtml(text, {
    tag(tag) {
      head.tag(tag)
      if (tag.name === 'base' && findAttribute(tag, 'href')) hasBase = true
    },
  })
  if (!decide(hasBase)) return page
  const at = head.find(text)
  return Buffer.from(`${text.slice(0, at)}${markup}${text.slice(at)}`, 'latin1')
}
