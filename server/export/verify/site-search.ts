import { readFile } from 'node:fs/promises'
import type { SearchUse } from '../../web/browser/use-search.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { FileCollector } from '../crawl/file-collector.ts'
import { assetKey, linkKey } from '../model/site.ts'
import { isImporter, isModule } from '../rewrite/redirect-imports.ts'
import { openBundleSearch, type SearchedBundle } from './compare-search.ts'
import { findParts } from './part-names.ts'
import type { ScriptPlacer } from './place-scripts.ts'
import type { BundleSearch } from './search-ahead.ts'
import { type OriginSearchOptions, readSearchWords, searchAtOrigin, showsSearch } from './search-at-origin.ts'

/** The search of a site, in the bundle and at the origin. */
export interface SiteSearch {
  /** Addresses of the data that the search fetched at the origin, and of the modules that it imported. */
  fetched: readonly string[]
  /** Addresses of the scripts that import modules for it. */
  importers: readonly string[]
  /** The path on the server of the site that finds the hits; null = the search needs none, or there is no search. */
  server: string | null
  /** Whether a page shows a search that found nothing at the origin, so that nothing is known about it. */
  isUnknown: boolean
  /** Returns the search of a written bundle. */
  open(bundle: SearchedBundle): BundleSearch
}

/**
 * Shows the sampled pages at the origin. Uses the search of the site there too, and fetches the files that it loads. The search
 * mostly waits, so it is used while pages are shown, if the crawl has seen a page with a search. Nothing is compared when no
 * browser looks at the bundle.
 */
export async function lookAndSearch(
  options: OriginSearchOptions & SearchPartsOptions,
  { look, seen }: Pick<ScriptPlacer, 'look' | 'seen'>,
): Promise<SiteSearch> {
  // It takes longest, so it begins first.
  const isKnown = seen !== null && showsSearch(seen)
  const words = isKnown ? await readSearchWords(seen) : []
  const [early] = await Promise.all([isKnown ? searchAtOrigin(options, seen, words) : null, look()])
  const origin = isKnown || !seen ? early : await searchAtOrigin(options, seen, await readSearchWords(seen))
  const server = origin?.use.server ?? null
  if (!seen || !origin || server !== null) {
    const isUnknown = origin === null && seen !== null && showsSearch(seen)
    return {
      fetched: [],
      importers: [],
      server,
      isUnknown,
      open: () => ({ startAhead() {}, compare: async () => null }),
    }
  }
  const scripts = [...(await fetchSearchFiles(options, origin.use))]
  const importers = listThose(scripts, isImporter)
  // Without one that imports it, what looks like a module is a script with a text about modules.
  const modules = importers.length === 0 ? [] : listThose(scripts, isModule)
  return {
    fetched: [...origin.use.fetched, ...modules],
    importers: modules.length === 0 ? [] : importers,
    server,
    isUnknown: false,
    open: bundle => openBundleSearch(seen, origin, bundle),
  }
}

function listThose(scripts: readonly [address: string, text: string][], is: (text: string) => boolean): string[] {
  return scripts.flatMap(([address, text]) => (is(text) ? [address] : []))
}

interface SearchPartsOptions {
  collected: Pick<CollectedSite, 'site' | 'pages' | 'files'>
  files: Pick<FileCollector, 'needLoaded' | 'needScripted' | 'get' | 'finish'>
  /** Fetches a page that is only shown in a frame. Returns whether it exists. */
  fetchFramed(url: URL): Promise<boolean>
}

const maxScriptBytes = 2 * 1024 ** 2

/**
 * Fetches the files that the search of a site loads for any word. Three words load only some of the parts of an index. If no
 * rule finds the others, none of them is fetched: the comparison then tells that the search does not work.
 *
 * @return texts of the scripts that it loads, by address.
 */
async function fetchSearchFiles(options: SearchPartsOptions, use: SearchUse): Promise<Map<string, string>> {
  const { collected, files } = options
  for (const address of use.loaded) {
    files.needLoaded(new URL(address))
    files.needScripted(new URL(address))
  }
  await files.finish()
  const scripts = await readScripts(options, use.loaded)
  const frames = new Set(use.frames.map(pathOf))
  const own = (address: string) => {
    const url = collected.site.own(new URL(address))
    return url && !isInBundle(collected, url) ? url.pathname : []
  }
  const parts = use.words.flatMap(word => word.loaded.flatMap(own))
  for (const paths of groupByFolder(parts)) {
    const isFramed = paths.some(path => frames.has(path))
    const has = (path: string) => hasPart(options, new URL(path, collected.site.origin), isFramed)
    await findParts(paths, [...scripts.values()], has)
  }
  await files.finish()
  return scripts
}

/** Decides whether the bundle has the page or file anyway. A search may also load pages, to show a part of their text. */
function isInBundle({ pages, files }: SearchPartsOptions['collected'], url: URL): boolean {
  return pages.get(linkKey(url))?.state === 'page' || files.get(assetKey(url))?.state === 'file'
}

function pathOf(address: string): string {
  return new URL(address).pathname
}

/** Groups the paths by folder and extension. The parts of an index are in one folder. */
function groupByFolder(paths: readonly string[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const path of [...new Set(paths)].sort()) {
    const name = `${path.slice(0, path.lastIndexOf('/') + 1)} ${/\.\w+$/.exec(path)?.[0] ?? ''}`
    groups.set(name, [...(groups.get(name) ?? []), path])
  }
  return [...groups.values()]
}

async function hasPart({ collected, files, fetchFramed }: SearchPartsOptions, url: URL, isFramed: boolean) {
  if (isFramed) return fetchFramed(url)
  return collected.files.get(assetKey(url))?.state === 'file' || (await files.get(url, 'script')) !== null
}

/** Reads the scripts of the site that the page loads, by address. One of them may list the names of parts. */
async function readScripts({ collected }: SearchPartsOptions, loaded: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const address of loaded) {
    const own = collected.site.own(new URL(address))
    const found = own && collected.files.get(assetKey(own))
    if (found?.state !== 'file') continue
    const { kind, file, sizeBytes } = found.resource
    if (kind === 'script' && sizeBytes <= maxScriptBytes) texts.set(address, await readFile(file, 'latin1'))
  }
  return texts
}
