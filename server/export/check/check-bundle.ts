import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ArchiveError } from '../../unpack/archive-error.ts'
import { detectFormat, unpackArchive } from '../../unpack/unpack-archive.ts'
import type { UnpackLimits } from '../../unpack/unpack-limits.ts'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import { BrowserStartError } from '../../web/browser/launch.ts'
import { type BundleViewer, openBundleViewer } from '../../web/browser/viewer.ts'
import { readRawText } from '../../web/html/text-encoding.ts'
import type { Verify } from '../model/options.ts'
import { findUnresolvedInPage, findUnresolvedInStylesheet } from '../rewrite/check-links.ts'
import { readSources } from '../rewrite/rewrite-page.ts'
import { findStart, isPageFile, isSitePage, type KnownReport, listFiles, readReport } from './bundle-files.ts'
import { checkManifest } from './check-manifest.ts'
import { checkPages } from './check-pages.ts'
import type { BundleCheck, BundleFault } from './check-result.ts'

interface CheckOptions {
  /** A zip, a tar.gz or a folder with the files of a bundle. Nothing in it is changed. */
  bundle: string
  /** A new folder for the files of an archive and the profile of the browser. The caller removes it. */
  workFolder: string
  verify: Verify
  /** As for an export. */
  allowNoSandbox: boolean
  limits: { pageTimeoutMs: number; pageRequests: number }
  unpackLimits: UnpackLimits
  signal: AbortSignal
}

/** Max pages that a browser opens by default. With `verify: full`, it opens all pages. */
const sampleSize = 10

/** Checks a bundle that was made earlier. Faults of the bundle are in the result. */
export async function checkBundle(options: CheckOptions): Promise<BundleCheck> {
  const { bundle, workFolder, signal } = options
  await mkdir(workFolder, { recursive: true })
  if ((await stat(bundle)).isDirectory()) return checkFolder(options, bundle, emptyCheck('folder'))
  const check = { ...emptyCheck((await detectFormat(bundle)) ?? 'zip'), ...(await measure(bundle)) }
  const folder = join(workFolder, 'bundle')
  try {
    await unpackArchive({ file: bundle, folder, limits: options.unpackLimits, signal })
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    const unopened = 'No page was opened in a browser, because the archive cannot be unpacked.'
    return { ...check, unopened, faults: [{ page: null, place: null, what: error.message }] }
  }
  return checkFolder(options, folder, check)
}

function emptyCheck(kind: BundleCheck['kind']): BundleCheck {
  const nothing = { sizeBytes: null, sha256: null, domain: null, version: null, manifest: null, unopened: null }
  return { kind, ...nothing, pages: 0, files: 0, openedPages: [], faults: [], notes: [] }
}

/** Returns the size and the SHA-256 of an archive. */
export async function measure(file: string): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return { sizeBytes: (await stat(file)).size, sha256: hash.digest('hex') }
}

async function checkFolder(options: CheckOptions, folder: string, check: BundleCheck): Promise<BundleCheck> {
  const { paths, strange } = await listFiles(folder)
  const read = await readReport(folder)
  const report = typeof read === 'string' ? null : read
  const faults: BundleFault[] = strange.map(page => ({ page, place: null, what: 'is neither a file nor a folder' }))
  if (typeof read === 'string') faults.push({ page: null, place: null, what: read })
  const files = await checkFiles(folder, paths, report, options.signal)
  const opened = await openPages(options, folder, files, report)
  const listed = await checkManifest(folder, paths, options.signal)
  return {
    ...check,
    domain: report?.domain ?? null,
    version: report?.version ?? null,
    manifest: listed.manifest,
    pages: files.pages.length,
    files: paths.length,
    openedPages: opened.pages,
    unopened: opened.unopened,
    faults: [...faults, ...files.faults, ...opened.faults, ...listed.faults],
    notes: [...files.notes, ...opened.notes, ...listed.notes],
  }
}

async function openPages(
  { verify, workFolder, limits, allowNoSandbox, signal }: CheckOptions,
  folder: string,
  { pages, sources }: FileFindings,
  report: Parameters<typeof checkPages>[3],
): Promise<Pick<BundleCheck, 'faults' | 'notes' | 'unopened'> & { pages: string[] }> {
  const executablePath = verify === 'static' ? null : findBrowser()
  if (!executablePath || pages.length === 0)
    return { pages: [], faults: [], notes: [], unopened: explainUnopened(verify, pages.length) }
  const sample = verify === 'full' ? [...pages] : spreadSample(pages, sampleSize)
  let viewer: BundleViewer | null = null
  try {
    viewer = await openBundleViewer({
      executablePath,
      profileFolder: join(workFolder, 'browser'),
      allowNoSandbox,
      ...limits,
      signal,
      isOutside: url => allowsHost(sources, url),
    })
    return { pages: sample, unopened: null, ...(await checkPages(folder, sample, viewer, report)) }
  } catch (error) {
    if (!(error instanceof BrowserStartError)) throw error
    return { pages: [], faults: [], notes: [], unopened: `No page was opened: ${unchecked}. ${error.message}` }
  } finally {
    await viewer?.close()
  }
}

const unchecked = 'requests, errors and text of the pages were not checked'

function explainUnopened(verify: Verify, pages: number): string {
  if (pages === 0) return 'No page was opened in a browser, because the bundle has none.'
  return verify === 'static'
    ? `No page was opened in a browser, because of --verify static: ${unchecked}.`
    : `No page was opened, because no Chromium was found: ${unchecked}. To install one: ${installCommand()}`
}

interface FileFindings {
  /** Pages of the site, sorted. */
  pages: string[]
  faults: BundleFault[]
  notes: string[]
  /** Hosts of products that pages may load from, because the report names a kept product. */
  sources: ReadonlySet<string>
}

/** Reads all pages and style sheets: every address must resolve in the bundle, and every page must keep other hosts out. */
async function checkFiles(
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
  found.faults.push(...judgePageCount(found.pages.length, report))
  return { ...found, notes: noteKnownUnresolved(named) }
}

/** Decides whether a policy with these hosts allows an address. `*.example.com` stands for all hosts below example.com. */
function allowsHost(sources: Iterable<string>, { host }: URL): boolean {
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

function judgePageCount(count: number, report: KnownReport | null): BundleFault[] {
  if (!report || count >= report.pages) return []
  return [{ page: null, place: null, what: `The report counts ${report.pages} pages, but the bundle has ${count}.` }]
}

function noteKnownUnresolved(count: number): string[] {
  if (count === 0) return []
  return [`${count} ${count === 1 ? 'address does' : 'addresses do'} not resolve, as the report of the export says.`]
}

/**
 * Picks pages for a check: the start page, and then pages of as many folders as possible. The same pages always give the
 * same sample.
 *
 * @param pages sorted paths in the bundle.
 */
export function spreadSample(pages: readonly string[], size: number): string[] {
  if (pages.length <= size) return [...pages]
  const byFolder = new Map<string, string[]>()
  for (const page of pages) {
    const folder = page.slice(0, page.lastIndexOf('/') + 1)
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), page])
  }
  const picked = new Set([findStart(pages)])
  // With fewer places than folders, the folders are spread evenly. Otherwise each round takes the next page of every folder.
  const folders = [...byFolder.values()]
  const step = Math.max(1, folders.length / Math.max(1, size - picked.size))
  for (let round = 0; picked.size < size; round += 1) {
    for (let at = 0; at < folders.length && picked.size < size; at += step) {
      const page = folders[Math.floor(at)]?.[round]
      if (page !== undefined) picked.add(page)
    }
    if (round > pages.length) break
  }
  return [...picked].sort()
}
