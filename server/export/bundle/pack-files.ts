import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { PackedFile } from '../../in-page/packed/packed-file.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import { packedFolder, packedScriptPath } from '../model/packed-files.ts'
import { assetKey } from '../model/site.ts'
import { encodeSegment } from '../rewrite/layout.ts'
import { packedCopy, packedFilesScript } from '../runtime/packed-files.ts'

/** Max size of a file that is copied, and of all files together. A page reads a copy whole. */
const maxFileBytes = 8 * 1024 ** 2
const maxTotalBytes = 16 * 1024 ** 2

/** What scripts fetched at the origin. */
interface Fetched {
  looks: Iterable<Pick<PageLook, 'fetched'>>
  /** Looks at all pages of a group. The data of single pages is copied too. */
  whole?: Iterable<Pick<PageLook, 'fetched'>>
  /** Addresses that the search fetched. Files like two of them in one folder are parts of its index. */
  bySearch: readonly string[]
}

/**
 * Chooses the files that are copied into scripts, because browsers refuse them on file://. Returns their keys, smallest file
 * first. The other parts of a search index come last.
 */
export function choosePacked(
  { site, files }: Pick<CollectedSite, 'site' | 'files'>,
  { looks, whole = [], bySearch }: Fetched,
): string[] {
  const keyOf = (address: string) => {
    const url = URL.parse(address)
    return url && assetKey(site.own(url) ?? url)
  }
  const shared = listShared([...looks].map(({ fetched }) => fetched))
  const wanted = new Set([...shared, ...[...whole].flatMap(({ fetched }) => fetched), ...bySearch].map(keyOf))
  const searched = bySearch.flatMap(address => partKind(keyOf(address) ?? address) ?? [])
  const kinds = new Set(searched.filter((kind, at) => searched.indexOf(kind) < at))
  const found = [...files].flatMap(([key, outcome]) => {
    const isWanted = wanted.has(key)
    if (outcome.state !== 'file' || !(isWanted || kinds.has(partKind(key) ?? ''))) return []
    return [{ key, isWanted, sizeBytes: outcome.resource.sizeBytes }]
  })
  found.sort((a, b) => Number(b.isWanted) - Number(a.isWanted) || a.sizeBytes - b.sizeBytes || (a.key < b.key ? -1 : 1))
  let room = maxTotalBytes
  return found.flatMap(({ key, sizeBytes }) => {
    if (sizeBytes > maxFileBytes || sizeBytes > room) return []
    room -= sizeBytes
    return [key]
  })
}

/**
 * Leaves out files that only one page fetched, if another page fetched one like it: such files are the data of single pages,
 * and the data of the pages that nobody opened would be missing.
 */
function listShared(pages: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>()
  for (const address of pages.flat()) counts.set(address, (counts.get(address) ?? 0) + 1)
  const singles = new Map<string, number>()
  for (const page of pages) {
    const kinds = new Set(page.filter(address => counts.get(address) === 1).map(kindOf))
    for (const kind of kinds) singles.set(kind, (singles.get(kind) ?? 0) + 1)
  }
  return [...counts].flatMap(([address, count]) =>
    count === 1 && (singles.get(kindOf(address)) ?? 0) > 1 ? [] : [address],
  )
}

/** Returns the folder and the extension of an address, which the parts of a search index share; null = no data. */
function partKind(address: string): string | null {
  const { origin, pathname } = new URL(address)
  const kind = extname(pathname)
  return /^(?:|\.m?js|\.x?html?)$/i.test(kind)
    ? null
    : `${origin}${pathname.slice(0, pathname.lastIndexOf('/') + 1)} ${kind}`
}

function kindOf(address: string): string {
  return extname(URL.parse(address)?.pathname ?? '').toLowerCase()
}

/** Writes the copies of files of a bundle, and the script that answers from them. Returns the paths of the written files. */
export async function packFiles(folder: string, files: readonly { path: string; type: string }[]): Promise<string[]> {
  if (files.length === 0) return []
  await mkdir(join(folder, packedFolder), { recursive: true })
  const packed = new Map<string, PackedFile>()
  const written = [packedScriptPath]
  for (const { path, type } of files) {
    const found = await stat(join(folder, path)).catch(() => null)
    if (!found?.isFile() || found.size > maxFileBytes) continue
    const name = String(packed.size + 1)
    packed.set(name, { path: path.split('/').map(encodeSegment).join('/'), type })
    const copy = `${packedFolder}/${name}.js`
    await writeFile(join(folder, copy), packedCopy(name, await readFile(join(folder, path))))
    written.push(copy)
  }
  await writeFile(join(folder, packedScriptPath), packedFilesScript(packed))
  return written
}
