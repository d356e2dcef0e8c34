import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { servedType } from '../rewrite/media-types.ts'
import { type Cover, writeContents, writeCover, writeHead } from './front-matter.ts'
import type { OneFile } from './one-file.ts'
import { languageOf } from './print-pdf.ts'
import { printStyle, screenStyle } from './print-style.ts'

interface Writing {
  folder: string
  file: OneFile
  cover: Cover
  output(bytes: Buffer): Promise<void>
  signal: AbortSignal
}

/** Browsers open files of this size within seconds; far larger ones end with a full memory. */
const maxBytes = 100 * 1024 ** 2

/**
 * Writes all pages and their pictures as one HTML file that loads nothing.
 *
 * @throws {OperatorError} when the file would be too large.
 */
export async function writeSingleHtml({ folder, file, cover, output, signal }: Writing): Promise<void> {
  const { pages } = file
  const place = (id: string) => `#${id}`
  let size = 0
  async function write(content: string | Buffer, page: number) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    size += bytes.length
    if (size > maxBytes) throw tooLarge(page, pages.length)
    await output(bytes)
  }
  await write(writeHead(cover, languageOf(file), printStyle + screenStyle, 'data:'), 0)
  await write(writeCover(cover, pages.length) + writeContents(pages, place, () => null), 0)
  for (const [index] of pages.entries()) {
    signal.throwIfAborted()
    const { html } = await file.write(index, { place, picture: path => embed(join(folder, path)) })
    await write(html, index + 1)
    await write('<p class="quire-up"><a href="#contents">Contents</a></p>\n', index + 1)
  }
  await write('</body></html>\n', pages.length)
}

function embed(file: string): string {
  return `data:${servedType(file)};base64,${readFileSync(file).toString('base64')}`
}

function tooLarge(page: number, pages: number): OperatorError {
  return new OperatorError(
    `--single-html: the file would be larger than ${maxBytes / 1024 ** 2} MB, reached at page ${page} of ${pages}. Use --pdf, or leave pages out of the bundle with --exclude or --path of quire export.`,
  )
}
