import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestFiles, type Manifest, manifestFormat, manifestName } from '../model/manifest.ts'
import type { ExportReport } from '../model/report.ts'
import { servedType } from '../rewrite/media-types.ts'

interface ManifestOptions {
  folder: string
  /** Paths of all files of the bundle. */
  paths: readonly string[]
  report: ExportReport
  /** The version of Quire; null = unknown. */
  quireVersion: string | null
  signal: AbortSignal
}

/** Writes the manifest into the folder of a finished bundle, and returns its path. */
export async function writeManifest({ folder, paths, report, quireVersion, signal }: ManifestOptions): Promise<string> {
  let newestPage: string | null = null
  const see = (path: string, bytes: Buffer) => {
    const day = servedType(path) === 'text/html' ? findPageDay(bytes.toString('latin1')) : null
    if (day !== null && (newestPage === null || day > newestPage)) newestPage = day
  }
  const sorted = [...new Set(paths)].sort()
  const digests = await digestFiles(folder, sorted, { signal, see })
  const { domain, version, pages, keptFeatures } = report
  const manifest: Manifest = {
    format: manifestFormat,
    engine: quireVersion === null ? 'Quire' : `Quire ${quireVersion}`,
    site: domain,
    version,
    pages,
    newestPage,
    rules: {
      contents: { onlyListed: true, links: false },
      serving: {
        index: 'index.html',
        notFound: ['404.html', '404/index.html'].find(name => sorted.includes(name)) ?? null,
        places: ['root', 'folder', 'file'],
      },
      outsideProducts: keptFeatures.map(({ product }) => product),
    },
    files: Object.fromEntries(digests),
  }
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 1)}\n`)
  return manifestName
}

/** A statement is shorter. */
const maxStatement = 300

/**
 * Returns the latest day of the statements `article:modified_time`, `og:updated_time`, `last-modified` and `dateModified` of a page, in
 * its meta elements, its structured data or its time elements.
 */
export function findPageDay(html: string): string | null {
  let latest: string | null = null
  for (const { index } of html.matchAll(/modified_time|updated_time|last-modified|dateModified/gi)) {
    const start = Math.max(html.lastIndexOf('<', index), index - maxStatement)
    const close = html.indexOf('>', index)
    const statement = html.slice(start, Math.min(close === -1 ? html.length : close, index + maxStatement))
    const day = /(?:19|20)\d\d-[01]\d-[0-3]\d/.exec(statement)?.[0]
    if (day !== undefined && (latest === null || day > latest)) latest = day
  }
  return latest
}
