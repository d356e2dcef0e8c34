import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRawText } from '../../web/html/text-encoding.ts'
import { twinPath, writeMarkdown } from '../../web/markdown/page-markdown.ts'
import { type Found, findFile } from './find-file.ts'
import { isPage } from './page-head.ts'

/**
 * Decides by an `Accept` header whether a client wants Markdown rather than HTML (RFC 9110, 12.5.1): it names Markdown, and ranks
 * it at least as high. No browser names it.
 */
export function prefersMarkdown(header: string | undefined): boolean {
  if (!header?.includes('markdown')) return false
  const weights = new Map(header.toLowerCase().split(',').map(readRange))
  const markdown = weights.get('text/markdown') ?? 0
  return markdown > 0 && markdown >= (weights.get('text/html') ?? weights.get('text/*') ?? weights.get('*/*') ?? 0)
}

function readRange(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map(part => part.trim())
  const weight = Number(parameters.find(part => part.startsWith('q='))?.slice(2) ?? 1)
  return [name, Number.isNaN(weight) ? 0 : weight]
}

/** The page that a Markdown address stands for, or the address under which it stands for a page. */
export type FoundTwin = { page: string; twin: string } | { moved: string } | null

/** Finds the page of an address such as `/a/b.md`, which no file has. */
export async function findTwin(files: string, path: string): Promise<FoundTwin> {
  if (!/\.md$/i.test(path)) return null
  const page = await findPage(files, path.slice(0, -'.md'.length))
  if (!page) return null
  const twin = `/${twinPath(page).split('/').map(encodeURIComponent).join('/')}`
  // The links in the Markdown are relative to the folder of the page.
  return path.toLowerCase() === twin.toLowerCase() ? { page, twin: twinPath(page) } : { moved: twin }
}

/** Returns the path of the page that an address without its extension shows; null = there is none. */
export async function findPage(files: string, path: string): Promise<string | null> {
  let found: Found = await findFile(files, path)
  if (found.kind === 'moved') found = await findFile(files, found.to)
  return found.kind === 'file' && isPage(found.path) ? found.path : null
}

/** A larger page is not converted for a request. */
const maxPageBytes = 8 * 1024 ** 2

/** Returns a page as Markdown, for a bundle without its twin; null = the page is too large. */
export async function convertPage(files: string, path: string): Promise<Buffer | null> {
  const bytes = await readFile(join(files, path))
  if (bytes.length > maxPageBytes) return null
  return Buffer.from(writeMarkdown(readRawText(bytes, null), { path, address: null, hasTwin: isPage }).text)
}
