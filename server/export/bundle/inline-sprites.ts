import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type Attribute, findAttribute, scanHtml } from '../../web/html/html-scan.ts'
import { createSplices } from '../../web/html/splice.ts'
import { readSprite, type Sprite } from '../../web/html/svg-sprite.ts'
import { decodeAttribute, encodeAttribute } from '../../web/html/text-encoding.ts'

/** Max size of a file whose parts are copied. */
const maxSpriteBytes = 512 * 1024
/** Max characters that the parts add to a page. */
const maxPageLength = 64 * 1024
/** Max files that are read for a page, and max parts of each. */
const maxPageSprites = 8
const maxPageParts = 300
/** Max files kept in memory. */
const maxKept = 8

/**
 * Copies the parts of SVG files that pages show with `<use href="icons.svg#search">` into the pages, because browsers refuse
 * parts of other files on file://. Each part is copied once per page.
 *
 * @param paths of pages.
 */
export async function inlineSprites(folder: string, paths: readonly string[]): Promise<void> {
  const read = createSpriteReader(folder)
  for (const path of paths) {
    const text = await readFile(join(folder, path), 'latin1')
    const changed = await inlineInto(text, path, read)
    if (changed !== text) await writeFile(join(folder, path), changed, 'latin1')
  }
}

/** A `<use>` element that shows a part of another file. */
interface SpriteUse {
  attributes: readonly Attribute[]
  file: string
  id: string
}

async function inlineInto(text: string, path: string, read: (file: string) => Promise<Sprite | null>): Promise<string> {
  const { uses, bodyEnd } = findUses(text, path)
  const files = [...new Set(uses.map(({ file }) => file))].slice(0, maxPageSprites)
  const splices = createSplices(text)
  let room = maxPageLength
  let markup = ''
  let needsLayout = false
  for (const file of files) {
    const own = uses.filter(use => use.file === file)
    const nameOf = (id: string) => partId(file, id)
    const copy = (await read(file))?.copy([...new Set(own.map(({ id }) => id))].slice(0, maxPageParts), nameOf)
    if (!copy || copy.ids.size === 0 || copy.markup.length > room) continue
    room -= copy.markup.length
    markup += copy.markup
    needsLayout ||= copy.needsLayout
    for (const { id, attributes } of own.filter(({ id }) => copy.ids.has(id)))
      for (const { start, outerEnd, quote } of attributes)
        splices.replace(start - (quote === '' ? 0 : 1), outerEnd, `"#${encodeAttribute(nameOf(id), 'us-ascii')}"`)
  }
  if (markup === '') return text
  const style = needsLayout ? 'position:absolute;width:0;height:0;overflow:hidden' : 'display:none'
  splices.replace(bodyEnd, bodyEnd, `<svg data-quire-parts="" aria-hidden="true" style="${style}">${markup}</svg>`)
  return splices.apply()
}

/** Names a part by its file and its id, so that the same part has the same id in each page. */
function partId(file: string, id: string): string {
  return `quire-${createHash('sha256').update(file).digest('hex').slice(0, 8)}-${id}`
}

/** Finds the uses outside of templates, whose ids may mean others, and the place behind all other content. */
function findUses(text: string, path: string): { uses: SpriteUse[]; bodyEnd: number } {
  const uses: SpriteUse[] = []
  let templates = 0
  let bodyEnd: number | null = null
  let htmlEnd: number | null = null
  scanHtml(text, {
    tag(tag) {
      if (tag.name === 'template') templates += 1
      if (tag.name !== 'use' || templates > 0) return
      const attributes = ['href', 'xlink:href']
        .flatMap(name => findAttribute(tag, name) ?? [])
        .filter(({ start, end }) => end > start)
      const [first] = attributes
      const found = first && locate(decodeAttribute(text.slice(first.start, first.end), 'utf-8').trim(), path)
      if (found) uses.push({ attributes, ...found })
    },
    closeTag(name, start) {
      if (name === 'template') templates = Math.max(0, templates - 1)
      if (name === 'body') bodyEnd = start
      if (name === 'html') htmlEnd = start
    },
  })
  return { uses, bodyEnd: bodyEnd ?? htmlEnd ?? text.length }
}

/** Returns the file and the part of an address; null for an address that is no part of a file of the bundle. */
function locate(address: string, path: string): { file: string; id: string } | null {
  const match = /^([^?#]+\.svg)(?:\?[^#]*)?#(.+)$/i.exec(address)
  if (!match || /^[a-z][a-z0-9+.-]*:|^\/|\\/i.test(address)) return null
  try {
    const file = posix.normalize(posix.join(posix.dirname(path), decodeURIComponent(match[1] ?? '')))
    return file.startsWith('..') ? null : { file, id: decodeURIComponent(match[2] ?? '') }
  } catch {
    return null
  }
}

function createSpriteReader(folder: string): (file: string) => Promise<Sprite | null> {
  const kept = new Map<string, Sprite | null>()
  return async file => {
    const known = kept.get(file)
    if (known !== undefined) return known
    const found = await stat(join(folder, file)).catch(() => null)
    const isRead = found?.isFile() && found.size <= maxSpriteBytes
    const sprite = isRead ? readSprite(await readFile(join(folder, file), 'latin1')) : null
    if (kept.size >= maxKept) kept.clear()
    kept.set(file, sprite)
    return sprite
  }
}
