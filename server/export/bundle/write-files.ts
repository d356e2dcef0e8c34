import { copyFile, link, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceManifestUrls } from '../../web/html/manifest.ts'
import type { RawText } from '../../web/html/text-encoding.ts'
import type { Resource } from '../model/resource.ts'
import { type BundleMap, referTo } from '../rewrite/bundle-map.ts'
import { findUnresolvedInStylesheet } from '../rewrite/check-links.ts'
import { rewriteScript } from '../rewrite/rewrite-script.ts'
import { rewriteStylesheet } from '../rewrite/rewrite-stylesheet.ts'
import { sortedEntries, type Writing } from './writing.ts'

/** Starts to write all files that are not pages. Files of the same content may share a path. */
export function startFiles(writing: Writing): Promise<void>[] {
  const { collected, plan, queue } = writing
  const written = new Set<string>()
  return sortedEntries(plan.files).flatMap(([key, path]) => {
    const outcome = collected.files.get(key)
    if (outcome?.state !== 'file' || written.has(path)) return []
    written.add(path)
    return [queue.add(() => writeOne(writing, outcome.resource, path))]
  })
}

async function writeOne(writing: Writing, resource: Resource, path: string): Promise<void> {
  const { folder, paths, unresolved } = writing
  const { kind, file, charset } = resource
  const to = join(folder, path)
  if (kind === 'file') return linkOrCopy(file, to)
  const raw = { text: await readFile(file, 'latin1'), charset }
  const text = rewrite(writing, raw, resource, path)
  if (text === raw.text && kind === 'script') return linkOrCopy(file, to)
  if (kind === 'stylesheet') {
    for (const address of findUnresolvedInStylesheet({ ...raw, text }, path, paths))
      unresolved.push({ page: path, address })
  }
  await writeFile(to, text, 'latin1')
}

function rewrite({ collected, map, found }: Writing, raw: RawText, resource: Resource, path: string): string {
  const { url, kind } = resource
  if (kind === 'manifest') return rewriteManifest(raw, resource, path, map)
  if (kind === 'stylesheet') return rewriteStylesheet(raw, resource, { path, map, findings: found.on(path) })
  return rewriteScript(raw, { url, path, hasMoved: !collected.site.own(url) }, map, found.on(path))
}

function rewriteManifest(raw: RawText, manifest: Resource, path: string, map: BundleMap): string {
  const text = Buffer.from(raw.text, 'latin1').toString()
  const replaced = replaceManifestUrls(text, (address, kind) => {
    const url = URL.parse(address, manifest.url)
    if (!url || url.protocol === 'data:') return undefined
    const destination = kind === 'icon' ? map.findFile(url) : map.findPage(url)
    if (destination.kind !== 'inside') return kind === 'icon' ? 'data:,' : './'
    return referTo(path, destination.path, address)
  })
  return Buffer.from(replaced).toString('latin1')
}

/**
 * Links or copies a fetched file into the bundle. The fetched file is kept, because a bundle may be written again. Nothing
 * modifies the linked file in the bundle.
 */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}
