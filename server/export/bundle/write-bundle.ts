// A long file: all files of a bundle are written from one plan, and share their findings.
import { copyFile, link, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { createQueue, type Queue } from '../../base/queue.ts'
import { replaceManifestUrls } from '../../web/html/manifest.ts'
import type { RawText } from '../../web/html/text-encoding.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { ExportReport } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { searchScriptPath } from '../model/search-files.ts'
import { routeKey, type Site } from '../model/site.ts'
import type { PagePool } from '../pages/page-pool.ts'
import type { WriteTask } from '../pages/page-tasks.ts'
import {
  type BundleMap,
  createBundleMap,
  findAliases,
  planTargets,
  type RewriteFindings,
  referTo,
} from '../rewrite/bundle-map.ts'
import { findUnresolvedInStylesheet } from '../rewrite/check-links.ts'
import { type Redirect, redirectPage } from '../rewrite/layout.ts'
import { rewriteDrawing } from '../rewrite/rewrite-drawing.ts'
import { rewriteScript } from '../rewrite/rewrite-script.ts'
import { rewriteStylesheet } from '../rewrite/rewrite-stylesheet.ts'
import { externalFilesPath, externalFilesScript } from '../runtime/external-files.ts'
import { type BundlePlan, planBundle, planEntrance, planRedirects } from './plan-bundle.ts'
import { listTwins } from './write-twins.ts'

/** The files of a written bundle, and the findings. */
export interface WrittenBundle {
  /** Paths of all files except the report. */
  paths: string[]
  /** Paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
  /** Paths of the pages that get a Markdown twin. */
  twins: ReadonlySet<string>
  /** Paths of the other files, by key. */
  filePaths: ReadonlyMap<string, string>
  /** Paths of pages and style sheets that may name fonts. */
  fontPaths: string[]
  /** Paths of pages that may show parts of SVG files. */
  spritePaths: string[]
  pageCount: number
  fileCount: number
  findings: Pick<ExportReport, 'redirects' | 'deadLinks' | 'missingFiles' | 'unresolved' | 'notes'>
}

interface WriteOptions extends PageWriting {
  folder: string
  /** Whether pages load the search of the bundle. */
  hasSearch: boolean
  /** Whether pages get Markdown twins. */
  markdown: boolean
  /** The line at the end of each page; null = none. */
  stamp: string | null
  /** Keys of files with a copy for file://. */
  packed: readonly string[]
}

/** Max files read and written at once. */
const parallelFiles = 4

/**
 * Writes all pages and files of a site into a folder. Rewrites the links between them, and checks that the links resolve.
 */
export async function writeBundle(collected: CollectedSite, options: WriteOptions): Promise<WrittenBundle> {
  const { folder, hasSearch, markdown, stamp, pool, packed } = options
  const aliases = findAliases(collected.pages)
  const plan = planBundle(collected, aliases)
  const targets = planTargets(collected, plan, aliases)
  const map = createBundleMap(collected.site, targets, collected.exclusions)
  const redirects = [...planRedirects(plan, map), ...planEntrance(plan, collected.start, map)]
  const external = listExternal(collected, plan.files)
  const queried = listQueried(collected, plan.files)
  const loader = external.size + queried.size > 0 || hasFolderData(plan) ? externalFilesPath : null
  const moved = [...redirects, ...plan.stubs]
  const paths = new Set([...plan.pages.values(), ...plan.files.values(), ...moved.map(({ path }) => path)])
  if (loader) paths.add(loader)
  await makeFolders(folder, paths)
  const known = new Set([...paths, runtimePath, ...(hasSearch ? [searchScriptPath] : [])])
  const twins = markdown ? listTwins(collected, plan.pages, paths) : new Set<string>()
  const setup = { folder, targets, paths: known, loader, hasPacked: packed.length > 0, hasSearch, twins, stamp }
  pool.beginWriting(setup)

  const queue = createQueue(parallelFiles)
  const writing = { collected, folder, plan, map, paths, queue, found: createFindings(collected.site), unresolved: [] }
  const pages = startPages(writing, options)
  const files = startFiles(writing)
  const leading = startRedirects(writing, moved)
  const loading = loader ? [writeFile(join(folder, loader), externalFilesScript(external, queried))] : []
  const [unfinished] = await Promise.all([Promise.all(pages), ...files, ...leading, ...loading])
  return describeWritten(
    writing,
    twins,
    redirects,
    unfinished.filter(page => page !== null),
  )
}

/** Lists the files of other hosts, if scripts load any. A script may also load a file that a page loads. */
function listExternal({ site, scripted }: CollectedSite, files: BundlePlan['files']): Map<string, string> {
  if (![...scripted].some(key => files.has(key))) return new Map()
  return new Map(sortedEntries(files).filter(([key]) => !site.own(new URL(key))))
}

/** Lists the data of the site that differs by query. Hosts of files ignore the query. */
function listQueried({ site, files: found }: CollectedSite, files: BundlePlan['files']): Map<string, string> {
  const isQueried = (key: string) => {
    const outcome = found.get(key)
    return outcome?.state === 'file' && /json/.test(outcome.resource.type) && site.own(new URL(key))?.search
  }
  return new Map(sortedEntries(files).filter(([key]) => key.includes('?') && isQueried(key)))
}

/** Decides whether the data of a page is beside it: scripts then ask for a name below the address of the page. */
function hasFolderData({ pages, files }: BundlePlan): boolean {
  const folders = new Set([...pages.values()].flatMap(path => (/(^|\/)index\.html$/.test(path) ? dirname(path) : [])))
  return [...files.values()].some(path => path.endsWith('.json') && folders.has(dirname(path)))
}

async function makeFolders(folder: string, paths: ReadonlySet<string>): Promise<void> {
  const folders = new Set([...paths].map(path => dirname(path)))
  await Promise.all([...folders].map(name => mkdir(join(folder, name), { recursive: true })))
}

function startRedirects({ folder, queue }: Writing, redirects: readonly Redirect[]): Promise<void>[] {
  return redirects.map(redirect => queue.add(() => writeFile(join(folder, redirect.path), redirectPage(redirect))))
}

function describeWritten(
  { plan, paths, found, unresolved }: Writing,
  twins: ReadonlySet<string>,
  redirects: readonly Redirect[],
  unfinished: readonly UnfinishedPage[],
): WrittenBundle {
  const pathsOf = (pages: readonly UnfinishedPage[]) => pages.map(({ path }) => path)
  const fontPages = pathsOf(unfinished.filter(({ hasFonts }) => hasFonts))
  return {
    paths: [...paths].sort(),
    pagePaths: plan.pages,
    twins,
    filePaths: plan.files,
    fontPaths: [...[...paths].filter(path => path.endsWith('.css')), ...fontPages].sort(),
    spritePaths: pathsOf(unfinished.filter(({ hasSprites }) => hasSprites)).sort(),
    pageCount: plan.pages.size,
    fileCount: new Set(plan.files.values()).size,
    findings: {
      redirects: redirects.map(({ path, to }) => ({ from: path, to })).sort((a, b) => compareText(a.from, b.from)),
      ...found.list(),
      unresolved: unresolved.toSorted((a, b) => compareText(a.page, b.page) || compareText(a.address, b.address)),
    },
  }
}

interface PageWriting {
  pool: PagePool
  /** Keys of the pages whose scripts start only at their own path. */
  guarded: ReadonlySet<string>
  /** Called after each page. */
  onPage(): void
}

/** A page that is changed once all files are written. */
interface UnfinishedPage {
  path: string
  /** Whether its style elements name fonts. */
  hasFonts: boolean
  /** Whether it may show parts of SVG files. */
  hasSprites: boolean
}

/** Starts to write all pages. Each promise resolves to the page if it is unfinished, or to null. */
function startPages(writing: Writing, options: PageWriting): Promise<UnfinishedPage | null>[] {
  const { collected, plan, queue } = writing
  return sortedEntries(plan.pages).flatMap(([key, path]) => {
    const outcome = collected.pages.get(key)
    if (outcome?.state !== 'page') return []
    const written = { key, path, page: outcome.resource }
    return [queue.add(async () => writePage(writing, options, toTask(writing, options, written)))]
  })
}

function toTask(
  { collected }: Writing,
  { guarded }: PageWriting,
  { key, path, page }: { key: string; path: string; page: Resource },
): WriteTask {
  const { span, charset, url, rendered } = page
  if (!span) throw new Error(`no content is stored for the page ${key}`)
  const shell = collected.apps.get(key)
  return {
    ...{ span, charset, url: url.href, isRendered: rendered, path },
    sources: collected.products.sourcesOn(key),
    losesSearch: collected.products.losesSearch(key),
    guardedAt: guarded.has(key) ? url.pathname : null,
    app: shell?.span ? { span: shell.span, charset: shell.charset, url: shell.url.href } : null,
  }
}

async function writePage(
  { found, unresolved }: Writing,
  { pool, onPage }: PageWriting,
  task: WriteTask,
): Promise<UnfinishedPage | null> {
  const { path } = task
  const page = await pool.write(task)
  const findings = found.on(path)
  for (const [url, reason] of page.deadLinks) findings.deadLink(new URL(url), reason)
  for (const [url, reason] of page.missingFiles) findings.missingFile(new URL(url), reason)
  for (const address of page.unresolved) unresolved.push({ page: path, address })
  onPage()
  const { hasFonts, hasSprites } = page
  return hasFonts || hasSprites ? { path, hasFonts, hasSprites } : null
}

/** The state shared by the functions that write one bundle. */
interface Writing {
  collected: CollectedSite
  folder: string
  plan: BundlePlan
  map: BundleMap
  /** Paths of all files of the bundle. */
  paths: ReadonlySet<string>
  /** Limits how many files are read and written at once. */
  queue: Queue
  found: Findings
  /** Addresses that do not resolve in the bundle. */
  unresolved: ExportReport['unresolved']
}

/** Returns the entries of a map, sorted by key. */
function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Starts to write all files that are not pages. Files of the same content may share a path. */
function startFiles(writing: Writing): Promise<void>[] {
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
  if (text === raw.text && (kind === 'script' || kind === 'drawing')) return linkOrCopy(file, to)
  if (kind === 'stylesheet') {
    for (const address of findUnresolvedInStylesheet({ ...raw, text }, path, paths))
      unresolved.push({ page: path, address })
  }
  await writeFile(to, text, 'latin1')
}

function rewrite({ collected, map, found }: Writing, raw: RawText, resource: Resource, path: string): string {
  const { url, kind } = resource
  if (kind === 'manifest') return rewriteManifest(raw, resource, path, map)
  if (kind === 'drawing') return rewriteDrawing(raw, { url, path, map, findings: found.on(path) })
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

interface Finding {
  reason: string
  /** Number of pages with this finding. */
  count: number
  /** The page counted last. The findings of one page arrive in a row, so this value prevents counting it twice. */
  last: string
  /** Some of the pages, sorted. */
  pages: string[]
}

/** Dead links and missing files of a whole bundle. */
interface Findings {
  /** Returns the collector for the findings of the page or file at `path`. */
  on(path: string): RewriteFindings
  list(): Pick<ExportReport, 'deadLinks' | 'missingFiles' | 'notes'>
}

/** Max pages named for each dead link or missing file. */
const namedPages = 5
/** Max dead links in the report, and max missing files. */
const listedFindings = 10_000

function createFindings(site: Pick<Site, 'own'>): Findings {
  const dead = new Map<string, Finding>()
  const missing = new Map<string, Finding>()
  const cut = new Set<Map<string, Finding>>()

  function add(to: Map<string, Finding>, name: string, reason: string, path: string) {
    const finding = to.get(name) ?? { reason, count: 0, last: '', pages: [] }
    if (finding.last === path) return
    finding.count += 1
    finding.last = path
    finding.pages = [...finding.pages, path].sort().slice(0, namedPages)
    to.set(name, finding)
    if (keepSmallestKeys(to, listedFindings).length > 0) cut.add(to)
  }

  const list = (from: Map<string, Finding>) =>
    [...from]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { reason, count, pages }]) => ({ name, reason, count, pages }))

  return {
    on: path => ({
      deadLink(url, reason) {
        const own = site.own(url)
        if (own) own.hash = url.hash
        add(dead, own ? nameOf(routeKey(own)) : url.href, reason, path)
      },
      // Names the site's own files by path: the origin may be a private host.
      missingFile(url, reason) {
        const own = site.own(url)
        add(missing, own ? own.pathname + own.search : (url.href.split('#', 1)[0] ?? ''), reason, path)
      },
    }),
    list() {
      const notes: string[] = []
      for (const [what, found] of [['dead links', dead] as const, ['missing files', missing] as const]) {
        if (keepSmallestKeys(found, listedFindings, 1).length > 0 || cut.has(found))
          notes.push(`Only the first ${listedFindings.toLocaleString('en')} ${what} are listed.`)
      }
      return {
        deadLinks: list(dead).map(({ name, ...rest }) => ({ to: name, ...rest })),
        missingFiles: list(missing).map(({ name, ...rest }) => ({ url: name, ...rest })),
        notes,
      }
    },
  }
}

/** Returns the path of a page, plus the fragment if its key has one. */
function nameOf(key: string): string {
  const { pathname, hash } = new URL(key)
  return pathname + hash
}
