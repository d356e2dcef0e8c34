import { listPages, type ReadPdf, readPdf, reference, references } from './read-pdf.ts'

/** A part of a joined PDF. */
export interface PdfPart {
  pages: number
  /** Index of the page in the part where a page of the site begins, by its id. */
  starts: Map<string, number>
}

interface PdfEnd {
  title: string
  language: string
}

export interface PdfJoiner {
  /** @param isFront whether its pages come first, with roman numbers, and without bookmarks. */
  add(bytes: Buffer, isFront?: boolean): Promise<PdfPart>
  /** Writes the objects that join the parts. */
  finish(end: PdfEnd): Promise<void>
}

/** A link to this address leads to the place of its fragment, in whatever part that is. */
export const placeAddress = 'http://place.invalid/#'
const placeAction = /\/A <<\/Type \/Action\s+\/S \/URI\s+\/URI \(http:\/\/place\.invalid\/#([\w-]+)\)>>/

/** Numbers of the objects that join the parts. */
const object = { catalog: 1, pages: 2, tags: 3, document: 4, parents: 5, ids: 6, outline: 7, places: 8, info: 9 }

interface Joining {
  output(bytes: Buffer): Promise<void>
  offsets: number[]
  size: number
  next: number
  nextParent: number
  parts: number
  /** References to the roots of the parts' trees. */
  pages: string[]
  tags: string[]
  parents: string[]
  ids: string[]
  places: string[]
  pageCount: number
  frontPages: number
  bookmarks: { count: number; first: string; last: { number: number; body: string } | null }
}

/**
 * Joins PDFs that Chromium printed, so that a browser need not hold all pages of a site at once. Their page trees, tags,
 * outlines and named destinations become one of each.
 *
 * @param output writes the next bytes of the file
 */
export function createPdfJoiner(output: Joining['output']): PdfJoiner {
  const joining: Joining = {
    ...{ output, offsets: [], size: 0, next: object.info + 1, nextParent: 0, parts: 0 },
    ...{ pages: [], tags: [], parents: [], ids: [], places: [], pageCount: 0, frontPages: 0 },
    bookmarks: { count: 0, first: '', last: null },
  }
  return {
    add: (bytes, isFront = false) => addPart(joining, readPdf(bytes), isFront),
    finish: end => finish(joining, end),
  }
}

async function addPart(joining: Joining, pdf: ReadPdf, isFront: boolean): Promise<PdfPart> {
  if (joining.size === 0) await write(joining, '%PDF-1.7\n%\xd3\xeb\xe9\xe1\n')
  const root = readRoots(pdf)
  const base = joining.next - 1
  const renumber = createRenumber(joining, root, base)
  const marks = isFront || root.outline === 0 ? null : await joinBookmarks(joining, renumber(pdf.body(root.outline)))
  for (let old = 1; old <= pdf.count; old += 1) {
    const body = pdf.body(old)
    if (root.left.has(old) || (isFront && body.startsWith('<</Title '))) continue
    const number = base + old
    const now = change(renumber(body), {
      ...{ joining, number, marks },
      isPages: old === root.pages,
      isParents: old === root.parents,
    })
    const stream = pdf.stream(old)
    if (now !== null) await writeObject(joining, number, stream ? [now, stream] : [now])
  }
  const list = (objects: number[]) => objects.map(old => `${base + old} 0 R`)
  const order = isFront ? 'unshift' : 'push'
  joining.pages[order](...list([root.pages]))
  joining.tags[order](...list(references('K', root.tagBody)))
  joining.parents.push(...list([root.parents]))
  if (root.ids > 0) joining.ids.push(...list(references('Kids', pdf.body(root.ids))))
  const places = root.places === 0 ? '' : pdf.body(root.places)
  joining.places.push(renumber(places).replace(/^<</, '').replace(/>>$/, ''))
  joining.next += pdf.count
  joining.nextParent += root.parentCount
  const pages = listPages(pdf, root.pages)
  joining.pageCount += pages.length
  if (isFront) joining.frontPages += pages.length
  const starts = [...places.matchAll(/\/(\w+) \[(\d+) 0 R/g)].map(
    ([, id = '', page]) => [id, pages.indexOf(Number(page))] as const,
  )
  return { pages: pages.length, starts: new Map(starts) }
}

/** Finds the objects of a part that are joined with those of other parts. Zero = the part has none. */
function readRoots(pdf: ReadPdf) {
  const catalog = reference('Root', pdf.trailer)
  const body = pdf.body(catalog)
  const tags = reference('StructTreeRoot', body)
  const outline = reference('Outlines', body)
  const places = reference('Dests', body)
  const tagBody = pdf.body(tags)
  const ids = reference('IDTree', tagBody)
  const left = new Set([catalog, reference('Info', pdf.trailer), tags, outline, places, ids])
  const parentCount = Number(/\/ParentTreeNextKey (\d+)/.exec(tagBody)?.[1] ?? 0)
  const trees = { pages: reference('Pages', body), parents: reference('ParentTree', tagBody), parentCount }
  return { tags, tagBody, outline, places, ids, left, ...trees }
}

type Roots = ReturnType<typeof readRoots>

/** References, and names in strings that must not be the same in two parts. Strings come first: they may contain the like of references. */
const tokens = /\((?:[^\\()]|\\.)*\)|(\d+) 0 R|(\/StructParents?) (\d+)/gs

/** Creates a function that gives references the numbers that they have in the joined file. */
function createRenumber(joining: Joining, { tags, outline }: Roots, base: number): (body: string) => string {
  joining.parts += 1
  const part = String(joining.parts).padStart(4, '0')
  const { nextParent } = joining
  const numberOf = (old: number) => (old === tags ? object.document : old === outline ? object.outline : base + old)
  return body =>
    body.replaceAll(tokens, (whole: string, old?: string, key?: string, parent?: string) => {
      if (old !== undefined) return `${numberOf(Number(old))} 0 R`
      if (key !== undefined) return `${key} ${Number(parent) + nextParent}`
      return whole.replace(/^\(node(\d{8})\)$/, `(node${part}$1)`)
    })
}

interface Bookmarks {
  first: string
  last: string
  /** The last bookmark of the part before; empty = none. */
  before: string
}

/** Ends the bookmarks of the part before, because its last one names the first one of this part. */
async function joinBookmarks(joining: Joining, outline: string): Promise<Bookmarks | null> {
  const [, first, last] = /\/First (\d+ 0 R)\s+\/Last (\d+ 0 R)/.exec(outline) ?? []
  if (first === undefined || last === undefined) return null
  const { bookmarks } = joining
  const before = bookmarks.last ? `${bookmarks.last.number} 0 R` : ''
  if (bookmarks.last) await writeObject(joining, bookmarks.last.number, [insert(bookmarks.last.body, `/Next ${first}`)])
  else bookmarks.first = first
  return { first, last, before }
}

interface Changing {
  joining: Joining
  number: number
  marks: Bookmarks | null
  isPages: boolean
  isParents: boolean
}

/** Returns an object as it is in the joined file; null = it is written later. */
function change(body: string, { joining, number, marks, isPages, isParents }: Changing): string | null {
  const { bookmarks, nextParent } = joining
  if (isPages) return insert(body, `/Parent ${object.pages} 0 R`)
  if (isParents) return shiftKeys(body, nextParent)
  if (body.startsWith('<</Type /StructElem\n/S /Document')) return body.replace('/S /Document', '/S /Part')
  if (body.startsWith('<</Type /Annot')) return body.replace(placeAction, '/Dest /$1')
  if (!marks || !body.startsWith('<</Title ')) return body
  if (body.includes(`/Parent ${object.outline} 0 R`)) bookmarks.count += 1
  // A negative count closes a bookmark.
  const closed = body.replace(/\/Count (\d+)/, '/Count -$1')
  const reference = `${number} 0 R`
  const now = reference === marks.first && marks.before !== '' ? insert(closed, `/Prev ${marks.before}`) : closed
  if (reference !== marks.last) return now
  bookmarks.last = { number, body: now }
  return null
}

/** Shifts the keys of the tree that leads from content to its tags, and adds their range. */
function shiftKeys(body: string, by: number): string {
  const keys: number[] = []
  const shifted = body.replaceAll(/(\d+) (\d+ 0 R)/g, (_, key: string, value: string) => {
    keys.push(Number(key) + by)
    return `${Number(key) + by} ${value}`
  })
  return insert(shifted, `/Limits [${keys[0] ?? by} ${keys.at(-1) ?? by}]`)
}

function insert(body: string, entry: string): string {
  return body.replace(/^<</, `<<${entry}\n`)
}

async function finish(joining: Joining, { title, language }: PdfEnd): Promise<void> {
  const { bookmarks, pages, tags, parents, ids, places, pageCount, frontPages } = joining
  const { last } = bookmarks
  if (last) await writeObject(joining, last.number, [last.body])
  const name = `<${Buffer.from(`\ufeff${title}`, 'utf16le').swap16().toString('hex')}>`
  const labels = `/PageLabels <</Nums [0 <</S /r>> ${frontPages} <</S /D>>]>>`
  const outline = last ? `/First ${bookmarks.first}\n/Last ${last.number} 0 R\n/Count ${bookmarks.count}` : ''
  const bodies: [number, string][] = [
    [
      object.catalog,
      `/Type /Catalog\n/Pages ${object.pages} 0 R\n/Dests ${object.places} 0 R\n/MarkInfo <</Marked true>>\n/StructTreeRoot ${object.tags} 0 R\n` +
        `/Outlines ${object.outline} 0 R\n/PageMode /UseOutlines\n/ViewerPreferences <</DisplayDocTitle true>>\n/Lang (${language})\n${labels}`,
    ],
    [object.pages, `/Type /Pages\n/Count ${pageCount}\n/Kids [${pages.join(' ')}]`],
    [
      object.tags,
      `/Type /StructTreeRoot\n/K ${object.document} 0 R\n/ParentTree ${object.parents} 0 R\n/ParentTreeNextKey ${joining.nextParent}\n/IDTree ${object.ids} 0 R`,
    ],
    [object.document, `/Type /StructElem\n/S /Document\n/P ${object.tags} 0 R\n/K [${tags.join(' ')}]`],
    [object.parents, `/Kids [${parents.join(' ')}]`],
    [object.ids, `/Kids [${ids.join(' ')}]`],
    [object.outline, `/Type /Outlines\n${outline}`],
    [object.places, places.join('\n')],
    [object.info, `/Title ${name}\n/Producer (Quire)`],
  ]
  for (const [number, body] of bodies) await writeObject(joining, number, [`<<${body}>>`])
  const start = joining.size
  const rows = Array.from({ length: joining.next - 1 }, (_, index) => {
    const offset = joining.offsets[index + 1]
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const trailer = `trailer\n<</Size ${joining.next}\n/Root ${object.catalog} 0 R\n/Info ${object.info} 0 R>>\nstartxref\n${start}\n%%EOF\n`
  await write(joining, `xref\n0 ${joining.next}\n0000000000 65535 f \n${rows.join('')}${trailer}`)
}

async function writeObject(joining: Joining, number: number, content: readonly (string | Buffer)[]): Promise<void> {
  joining.offsets[number] = joining.size
  for (const part of [`${number} 0 obj\n`, ...content, '\nendobj\n']) await write(joining, part)
}

async function write(joining: Joining, content: string | Buffer): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  await joining.output(bytes)
  joining.size += bytes.length
}
