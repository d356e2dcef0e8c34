import type { PdfPrinter } from '../../web/browser/pdf-printer.ts'
import { createPlace } from '../verify/places.ts'
import { type Cover, titleOf, writeContents, writeCover, writeHead } from './front-matter.ts'
import { createPdfJoiner, type PdfJoiner, placeAddress } from './join-pdfs.ts'
import { type OneFile, root } from './one-file.ts'
import { pageStyle, printStyle } from './print-style.ts'

interface Printing {
  folder: string
  file: OneFile
  cover: Cover
  printer: PdfPrinter
  output(bytes: Buffer): Promise<void>
  onPage(done: number): void
  signal: AbortSignal
}

/** Pages are printed in parts, because the memory of the browser grows with what it prints at once. */
const maxPartBytes = 400_000
const maxPartPages = 40
const address = `${root}print`
/** Pictures are those of the bundle. */
const sources = "'self' data:"

/** Prints the pages as one PDF, and returns how many pages it has. */
export async function printPdf(printing: Printing): Promise<number> {
  const { file, cover, output, onPage, signal } = printing
  const joiner = createPdfJoiner(output)
  const numbers = new Map<string, number>()
  const addresses = { picture: addressOf, place: (id: string) => placeAddress + id }
  let count = 0
  let part: Buffer[] = []
  let anchors: string[] = []
  async function printPart(done: number) {
    if (part.length === 0) return
    const { pages, starts } = await addPart(printing, joiner, { sections: part, anchors, first: count + 1 })
    for (const [id, index] of starts) numbers.set(id, count + index + 1)
    count += pages
    part = []
    anchors = []
    onPage(done)
  }
  for (const [index] of file.pages.entries()) {
    signal.throwIfAborted()
    const section = await file.write(index, addresses)
    const bytes = part.reduce((sum, { length }) => sum + length, section.html.length)
    if (bytes > maxPartBytes || part.length >= maxPartPages) await printPart(index)
    part.push(section.html)
    anchors.push(...section.anchors)
  }
  await printPart(file.pages.length)
  const front =
    writeCover(cover, file.pages.length) + writeContents(file.pages, addresses.place, id => numbers.get(id) ?? null)
  const style = printStyle + pageStyle(titleOf(cover), 1, 'lower-roman')
  const head = writeHead(cover, languageOf(file), style, sources)
  const { pages } = await joiner.add(await print(printing, Buffer.from(head + front)), true)
  await joiner.finish({ title: titleOf(cover), language: languageOf(file) })
  return count + pages
}

interface Part {
  sections: Buffer[]
  anchors: string[]
  /** Number of its first page. */
  first: number
}

async function addPart(printing: Printing, joiner: PdfJoiner, { sections, anchors, first }: Part) {
  const { cover, file } = printing
  const style = printStyle + pageStyle(titleOf(cover), first, 'decimal')
  // Chromium names only the places to which the same document links.
  const links = anchors.map(id => `<a href="#${id}"></a>`).join('')
  const head = `${writeHead(cover, languageOf(file), style, sources)}<div hidden>${links}</div>\n`
  return joiner.add(await print(printing, Buffer.concat([Buffer.from(head), ...sections])))
}

function print({ printer, folder }: Printing, body: Buffer): Promise<Buffer> {
  const place = createPlace('root', folder)
  return printer.print(address, async request => {
    if (request.url.startsWith('data:')) return 'file'
    if (request.url !== address) return request.isNavigation ? null : place.answer(request)
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
  })
}

function addressOf(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** The language of most pages. */
export function languageOf({ pages }: Pick<OneFile, 'pages'>): string {
  const counts = new Map<string, number>()
  for (const { language } of pages) counts.set(language, (counts.get(language) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most?.[0] || 'en'
}
