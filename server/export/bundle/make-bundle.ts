import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection } from '../crawl/file-collector.ts'
import { listThirdParties } from '../crawl/third-parties.ts'
import { fetchPage, keepPage } from '../crawl/visit.ts'
import type { ExportOptions } from '../model/options.ts'
import { type ExportReport, writeReport } from '../model/report.ts'
import { assetKey, linkKey } from '../model/site.ts'
import type { StageClock } from '../model/stage-clock.ts'
import { redirectImports } from '../rewrite/redirect-imports.ts'
import { stampLine } from '../rewrite/stamp.ts'
import { packSearch, writeSearchScript } from '../search/pack-search.ts'
import { isWhole, listLossyPages, noteFrozenPages } from '../verify/lossy-pages.ts'
import { createScriptPlacer, type ScriptPlacer } from '../verify/place-scripts.ts'
import { lookAndSearch, type SiteSearch } from '../verify/site-search.ts'
import { noteLeftFaults, noteTextLoss } from '../verify/text-loss.ts'
import { listDeadPlaces, noteSearch } from './describe-search.ts'
import { inlineFonts } from './inline-fonts.ts'
import { inlineSprites } from './inline-sprites.ts'
import { choosePacked, packFiles } from './pack-files.ts'
import { writeReportPage } from './report-page.ts'
import { type WrittenBundle, writeBundle } from './write-bundle.ts'
import { writeManifest } from './write-manifest.ts'
import { writeTwins } from './write-twins.ts'

/** A bundle as a folder, ready to be archived. */
interface MadeBundle {
  folder: string
  /** Paths of all files, with slashes. */
  paths: string[]
}

interface Making {
  collection: Collection
  folder: string
  hasSearch: boolean
  markdown: boolean
  count: WorkCount
  signal: AbortSignal
  clock: StageClock
}

/** Writes the bundle of a collected site, checks it in a browser, and finishes the report. */
export async function makeBundle(
  collection: Collection,
  options: ExportOptions,
  signal: AbortSignal,
  clock: StageClock,
): Promise<MadeBundle> {
  const { workFolder, offlineSearch: hasSearch = false, markdown = false, allowLoss = false, startThread } = options
  const { collected, report } = collection
  const folder = join(workFolder, 'bundle')
  const making: Making = {
    collection,
    folder,
    hasSearch,
    markdown,
    count: countWork(report.pages, options),
    signal,
    clock,
  }
  const { placer, siteSearch, written, added, search: siteHits } = await writeVerified(making, options)
  // Comes first, because the command prints only the first notes.
  report.notes.unshift(
    ...noteTextLoss(placer.findings().differences, allowLoss),
    ...noteLeftFaults(placer.leftFaults(), allowLoss),
  )
  const { server } = siteSearch
  report.notes.unshift(...noteSearch(siteSearch, hasSearch))
  if (hasSearch) await writeSearchScript(folder, listDeadPlaces(siteHits, server))
  const { pagePaths } = written
  const search = hasSearch ? await packSearch({ collected, folder, pagePaths, startThread, signal }) : null
  if (search) clock.end('search', search.packed, 'search packed')
  const { pool } = collection.tools
  const twins = markdown ? await writeTwins({ collected, folder, pool, version: options.version, written }) : []
  if (markdown) clock.end('markdown', { files: twins.length }, 'Markdown written')
  finishReport(collection, written, placer)
  report.offlineSearch = search?.packed ?? null
  report.siteSearch = siteHits
  const reports = await writeReports(folder, report)
  const paths = [...written.paths, ...(search?.paths ?? []), ...twins, ...added, ...reports]
  const manifest = await writeManifest({ folder, paths, report, quireVersion: options.quireVersion ?? null, signal })
  return { folder, paths: [...paths, manifest] }
}

/**
 * Writes and checks the bundle. If pages lose much of their text where their scripts do not run, writes it once more with what a
 * browser shows of them.
 */
async function writeVerified(making: Making, options: ExportOptions) {
  const { collection, clock } = making
  let { looks } = collection
  for (let isAgain = false; ; isAgain = true) {
    const placer = await openPlacer(making, options, looks)
    const { look, place } = placer.countViews()
    making.count.expect(look + place)
    const siteSearch = await lookAtOrigin(making, placer)
    clock.end('look', {}, 'pages opened and search used at the origin')
    const complete = await writeComplete(making, placer, siteSearch)
    const done = { ...complete, placer, siteSearch }
    const { seen } = placer
    if (isAgain || options.allowLoss || !seen) return done
    const { pagePaths } = complete.written
    const lossy = listLossyPages(placer.findings().differences, seen.scripted, pagePaths)
    const frozen = await collection.freeze(lossy, (key, words) => {
      making.count.onView()
      return isWhole(words, seen.looks.get(key))
    })
    if (frozen.length === 0) return done
    looks = seen.looks
    collection.report.notes.unshift(...noteFrozenPages(frozen.map(key => pagePaths.get(key) ?? key)))
    clock.end(
      'freeze',
      { pages: frozen.length },
      'pages kept as a browser shows them, because they lose text elsewhere',
    )
  }
}

function openPlacer(
  { collection, hasSearch, count, signal }: Making,
  options: ExportOptions,
  looks: Collection['looks'],
): Promise<ScriptPlacer> {
  const { collected, tools, files, answer } = collection
  const { verify = 'sample', log } = options
  return createScriptPlacer({
    ...{ collected, files, looks, verify, hasSearch, answer, signal, onView: count.onView, log },
    views: tools.views,
    limits: tools.limits,
    tabs: tools.tabs,
  })
}

function lookAtOrigin({ collection }: Making, placer: ScriptPlacer): Promise<SiteSearch> {
  const { collected, tools, files, answer } = collection
  const fetchFramed = (url: URL) => fetchFramedPage(collection, url)
  return lookAndSearch({ collected, files, answer, views: tools.views, fetchFramed }, placer)
}

/** Writes the bundle, and writes it again until no obtainable file is missing and fresh pages have no fault. */
async function writeComplete(making: Making, placer: ScriptPlacer, siteSearch: SiteSearch) {
  const { folder, clock } = making
  for (;;) {
    const written = await writeOnce(making, placer, siteSearch)
    const { pagePaths, filePaths, paths, packed } = written
    const bundle = { folder, pagePaths, filePaths, paths, packed }
    const placed = await placer.place(bundle, siteSearch.open(bundle))
    const isComplete = !(await placer.improve(bundle))
    clock.end('verify', { scripts: placer.findings().mode }, 'bundle verified')
    if (isComplete) return { written, ...placed }
    making.count.expect(placer.countViews().place)
  }
}

/** A written bundle, and the paths of the copies for file://. */
interface PackedBundle extends WrittenBundle {
  packed: readonly string[]
}

async function writeOnce(
  making: Making,
  { guardedAhead: guarded, seen }: ScriptPlacer,
  { fetched: bySearch, importers }: SiteSearch,
): Promise<PackedBundle> {
  const { collection, folder, hasSearch, markdown, count, signal, clock } = making
  const { collected, report, tools } = collection
  await rm(folder, { recursive: true, force: true })
  const packed = seen ? choosePacked(collected, { looks: seen.looks.values(), whole: seen.wholeLooks(), bySearch }) : []
  const written = await writeBundle(collected, {
    ...{ folder, pool: tools.pool, hasSearch, markdown, packed, guarded, onPage: count.onPage },
    stamp: stampLine(report),
  })
  signal.throwIfAborted()
  if (hasSearch) await writeSearchScript(folder, [])
  await inlineFonts(folder, written.fontPaths)
  await inlineSprites(folder, written.spritePaths)
  const copies = await packFiles(folder, packed.flatMap(describeFile(collected, written)))
  await redirectImporters(making, written, importers)
  clock.end('rewrite', { pages: report.pages }, 'bundle written')
  return { ...written, packed: copies }
}

/** Lets the scripts that import modules for the search import their copies. */
async function redirectImporters(
  { collection: { collected }, folder }: Making,
  { filePaths }: WrittenBundle,
  importers: readonly string[],
): Promise<void> {
  for (const address of importers) {
    const path = filePaths.get(assetKey(collected.site.own(new URL(address)) ?? new URL(address)))
    if (path === undefined) continue
    const file = join(folder, path)
    const text = await readFile(file, 'latin1')
    // The file may be a link to the one of the crawl.
    await rm(file)
    await writeFile(file, redirectImports(text), 'latin1')
  }
}

function describeFile({ files }: Collection['collected'], { filePaths }: WrittenBundle) {
  return (key: string) => {
    const path = filePaths.get(key)
    const outcome = files.get(key)
    return path !== undefined && outcome?.state === 'file' ? [{ path, type: outcome.resource.type }] : []
  }
}

function finishReport({ collected, report }: Collection, written: WrittenBundle, placer: ScriptPlacer): void {
  const { notes, ...findings } = written.findings
  const { differences, ...scripts } = placer.findings()
  report.notes.push(...notes)
  // A page that only a frame of another page shows is no page for a reader.
  const framed = [...collected.pages.values()].filter(each => each.state === 'page' && each.resource.isFramed).length
  const counts = { pages: written.pageCount - framed, files: written.fileCount + framed }
  Object.assign(report, findings, listThirdParties(collected), counts, { scripts, differences })
}

/** Writes the report as JSON and as HTML. Returns both paths. */
async function writeReports(folder: string, report: ExportReport): Promise<string[]> {
  await writeFile(join(folder, 'export-report.json'), writeReport(report))
  await writeFile(join(folder, 'export-report.html'), writeReportPage(report))
  return ['export-report.json', 'export-report.html']
}

interface WorkCount {
  /** Pages will probably be opened so many times more. */
  expect(views: number): void
  onView(): void
  onPage(): void
}

/** Counts written pages, up to `pagesKnown`, because pages may be written again, and how often pages are opened before and after. */
function countWork(pages: number, { onProgress }: ExportOptions): WorkCount {
  let written = 0
  let opened = 0
  let expected = 0
  const tellOpened = () => {
    const stage = written === 0 ? 'look' : 'check'
    onProgress({ stage, pagesDone: opened, pagesKnown: Math.max(opened, expected), pageCount: written || pages })
  }
  return {
    expect(views) {
      expected = opened + views
      if (views > 0) tellOpened()
    },
    onPage() {
      written = Math.min(written + 1, pages)
      onProgress({ stage: 'archive', pagesDone: written, pagesKnown: pages, pageCount: written })
    },
    onView() {
      opened += 1
      tellOpened()
    },
  }
}

/**
 * Fetches a page that a script shows in a frame. No link leads to such a page, so the crawl does not find it. Returns
 * whether the page exists.
 */
async function fetchFramedPage({ collected, tools, files }: Omit<Collection, 'report'>, url: URL): Promise<boolean> {
  const { site, limits, exclusions, queue } = tools
  const key = linkKey(url)
  const known = collected.pages.get(key)
  if (known) return known.state === 'page'
  if (!site.inScope(url) || exclusions.has(url) || collected.pages.size >= limits.pages) return false
  const context = {
    ...{ tools, found: collected, files, missingContent: null, startKey: key },
    // A redirect is not followed, because the address is assumed.
    missing: { status: 404, url, asked: url, body: null },
    onLanding() {},
  }
  const result = await queue.add(() => fetchPage(context, { target: url, key, isAssumed: true }))
  if (!('resource' in result)) return false
  keepPage(collected, files, { ...result, resource: { ...result.resource, isFramed: true } })
  return true
}
