import { readFile, stat, writeFile } from 'node:fs/promises'
import { extname, join, posix } from 'node:path'
import { decodeComponent } from '../../base/path-names.ts'
import { cssUrls } from '../../web/html/css-urls.ts'
import { scanHtml } from '../../web/html/html-scan.ts'
import { createSplices } from '../../web/html/splice.ts'

/** Max size of an inlined font. Larger fonts stay files. */
const maxFontBytes = 100 * 1024
/** Max size of all fonts inlined into one style sheet. */
const maxSheetBytes = 320 * 1024

const types: Record<string, string> = {
  '.otf': 'font/otf',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/**
 * Inlines small fonts into the style sheets and style elements of a bundle as data: URLs, because browsers refuse font
 * files on file://. Fonts for Latin text and for all text come first. Fonts beyond the limit stay files.
 *
 * @param paths of style sheets and pages.
 */
export async function inlineFonts(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const text = await readFile(join(folder, path), 'latin1')
    if (!/@font-face/i.test(text)) continue
    const changed = path.endsWith('.css')
      ? await inlineInto(folder, path, text)
      : await inlineIntoPage(folder, path, text)
    if (changed !== text) await writeFile(join(folder, path), changed, 'latin1')
  }
}

async function inlineIntoPage(folder: string, path: string, text: string): Promise<string> {
  const styles: { start: number; end: number }[] = []
  scanHtml(text, {
    rawText(tag, start, end) {
      if (tag.name === 'style') styles.push({ start, end })
    },
  })
  const splices = createSplices(text)
  for (const { start, end } of styles) {
    const css = text.slice(start, end)
    const changed = await inlineInto(folder, path, css)
    if (changed !== css) splices.replace(start, end, changed)
  }
  return splices.apply()
}

interface FontUse {
  start: number
  end: number
  file: string
  isLatin: boolean
}

async function inlineInto(folder: string, path: string, css: string): Promise<string> {
  const data = new Map<string, string>()
  const uses = findFonts(css, path)
  let room = maxSheetBytes
  for (const { file } of [...uses].sort((a, b) => Number(b.isLatin) - Number(a.isLatin))) {
    if (data.has(file)) continue
    const found = await stat(join(folder, file)).catch(() => null)
    if (!found?.isFile() || found.size > maxFontBytes || found.size > room) continue
    room -= found.size
    const bytes = await readFile(join(folder, file))
    data.set(file, `url("data:${types[extname(file).toLowerCase()]};base64,${bytes.toString('base64')}")`)
  }
  let out = ''
  let at = 0
  for (const { start, end, file } of uses) {
    const written = data.get(file)
    if (written === undefined) continue
    out += css.slice(at, start) + written
    at = end
  }
  return out + css.slice(at)
}

/** Finds the font that a browser loads for each @font-face: the first source in a known format. */
function findFonts(css: string, path: string): FontUse[] {
  const uses: FontUse[] = []
  for (const { start: faceStart, text } of findFaces(css)) {
    const range = /unicode-range\s*:\s*([^;}]*)/i.exec(text)?.[1]
    const isLatin = range === undefined || covers(range, 0x61)
    for (const { url, start, end } of cssUrls(text)) {
      const [address = ''] = url.split(/[?#]/, 1)
      if (!types[extname(address).toLowerCase()] || /^[a-z]+:/i.test(address)) continue
      const file = posix.normalize(posix.join(posix.dirname(path), decodeComponent(address) ?? address))
      if (!file.startsWith('..')) uses.push({ start: faceStart + start, end: faceStart + end, file, isLatin })
      break
    }
  }
  return uses
}

/** Finds the @font-face rules, which have no inner blocks. */
function findFaces(css: string): { start: number; text: string }[] {
  const faces: { start: number; text: string }[] = []
  const begin = /@font-face\s*\{/gi
  for (let match = begin.exec(css); match; match = begin.exec(css)) {
    const end = css.indexOf('}', begin.lastIndex)
    if (end === -1) break
    faces.push({ start: match.index, text: css.slice(match.index, end + 1) })
    begin.lastIndex = end + 1
  }
  return faces
}

/** Decides whether a unicode-range includes a character. */
function covers(range: string, codePoint: number): boolean {
  return range.split(',').some(part => {
    const [, from = '', to] = /U\+([0-9A-F?]{1,6})(?:-([0-9A-F]{1,6}))?/i.exec(part) ?? []
    if (from === '') return false
    const first = Number.parseInt(from.replaceAll('?', '0'), 16)
    const last = Number.parseInt(to ?? from.replaceAll('?', 'F'), 16)
    return first <= codePoint && codePoint <= last
  })
}
