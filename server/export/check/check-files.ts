import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRawText } from '../../web/html/text-encoding.ts'
import { findUnresolvedInPage, findUnresolvedInStylesheet } from '../rewrite/check-links.ts'
import { readSources } from '../rewrite/rewrite-page.ts'
import { isPageFile, isSitePage, type KnownReport } from './bundle-files.ts'
import type { BundleFault } from './check-result.ts'

export interface FileFindings {
  /** Pages of the site, sorted. */
  pages: string[]
  faults: BundleFault[]
  notes: string[]
  /** Hosts of products that pages may load from, because the report names a kept product. */
  sources: ReadonlySet<string>
}

/** Reads all pages and style sheets: every address must resolve in the bundle, and every page must keep other hosts out. */
export async function checkFiles(
  folder: string,
  paths: readonly string[],
  report: KnownReport | null,
  signal: AbortSignal,
): Promise<FileFindings> {
  const known = new Set(report?.unresolved.map(({ page, address }) => `${page} ${address}`))
  const all = new Set(paths)
  const found = { pages: [] as string[], faults: [] as BundleFault[], sources: new Set<string>() }
  let named = 0
  for (const path of paths) {
    signal.throwIfAborted()
    const isPage = isPageFile(path)
    if (!isPage && !path.endsWith('.css')) continue
    const raw = readRawText(await readFile(join(folder, path)), null)
    const sources = isPage ? readSources(raw.text) : []
    if (isPage && isSitePage(path, raw.text)) found.pages.push(path)
    found.faults.push(...judgeSources(path, sources, report))
    for (const source of sources ?? []) found.sources.add(source)
    const isOutside = (url: URL) => allowsHost(sources ?? [], url)
    const unresolved = isPage
      ? findUnresolvedInPage(raw, path, all, isOutside)
      : findUnresolvedInStylesheet(raw, path, all)
    for (const address of unresolved) {
      if (known.has(`${path} ${address}`)) named += 1
      else found.faults.push({ page: path, place: null, what: `names ${address}, which is not in the bundle` })
    }
  }
  found.faults.push(...countPages(found.pages.length, report))
  return { ...found, notes: noteNamed(named) }
}

/** Decides whether a policy with these hosts allows an address. `*.example.com` stands for all hosts below example.com. */
export function allowsHost(sources: Iterable<string>, { host }: URL): boolean {
  return [...sources].some(source => (source.startsWith('*.') ? host.endsWith(source.slice(1)) : host === source))
}

/** @param sources the hosts that a page may load from; null = the page has no policy. */
function judgeSources(page: string, sources: string[] | null, report: KnownReport | null): BundleFault[] {
  if (sources === null)
    return [{ page, place: null, what: 'has no policy that keeps it from loading files of other hosts' }]
  const [first] = sources
  if (first === undefined || (report?.keptFeatures.length ?? 0) > 0) return []
  return [{ page, place: null, what: `may load files from ${first}, and the report names no product of that host` }]
}

function countPages(count: number, report: KnownReport | null): BundleFault[] {
  if (!report || count >= report.pages) return []
  return [{ page: null, place: null, what: `The report counts ${report.pages} pages, but the bundle has ${count}.` }]
}

function noteNamed(count: number): string[] {
  if (count === 0) return []
  return [`${count} ${count === 1 ? 'address does' : 'addresses do'} not resolve, as the report of the export says.`]
}
