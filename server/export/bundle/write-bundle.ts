import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createQueue } from '../../base/queue.ts'
import type { CollectedSite } from '../crawl/collected-site.ts'
import type { ExportReport } from '../model/report.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { searchScriptPath } from '../model/search-files.ts'
import { createBundleMap, findAliases, planTargets } from '../rewrite/bundle-map.ts'
import { type Redirect, redirectPage } from '../rewrite/redirect-page.ts'
import { externalFilesPath, externalFilesScript } from '../runtime/external-files.ts'
import { createFindings } from './findings.ts'
import { type BundlePlan, planBundle, planEntrance, planRedirects } from './plan-bundle.ts'
import { startFiles } from './write-files.ts'
import { type PageWriting, startPages, type UnfinishedPage } from './write-pages.ts'
import { compareText, sortedEntries, type Writing } from './writing.ts'

/** The files of a written bundle, and the findings. */
export interface WrittenBundle {
  /** Paths of all files except the report. */
  paths: string[]
  /** Paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
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
  /** Keys of files with a copy for file://. */
  packed: readonly string[]
}

/** Max files read and written at once. */
const parallelFiles = 4

/**
 * Writes all pages and files of a site into a folder. Rewrites the links between them, and checks that the links resolve.
 */
export async function writeBundle(collected: CollectedSite, options: WriteOptions): Promise<WrittenBundle> {
  const { folder, hasSearch, pool, packed } = options
  const aliases = findAliases(collected.pages)
  const plan = planBundle(collected, aliases)
  const targets = planTargets(collected, plan, aliases)
  const map = createBundleMap(collected.site, targets, collected.exclusions)
  const redirects = [...planRedirects(plan, map), ...planEntrance(plan, collected.start, map)]
  const external = listExternal(collected, plan.files)
  const loader = external.size > 0 ? externalFilesPath : null
  const moved = [...redirects, ...plan.stubs]
  const paths = new Set([...plan.pages.values(), ...plan.files.values(), ...moved.map(({ path }) => path)])
  if (loader) paths.add(loader)
  await makeFolders(folder, paths)
  const known = new Set([...paths, runtimePath, ...(hasSearch ? [searchScriptPath] : [])])
  pool.beginWriting({ folder, targets, paths: known, loader, hasPacked: packed.length > 0, hasSearch })

  const queue = createQueue(parallelFiles)
  const writing = { collected, folder, plan, map, paths, queue, found: createFindings(collected.site), unresolved: [] }
  const pages = startPages(writing, options)
  const files = startFiles(writing)
  const leading = startRedirects(writing, moved)
  const loading = loader ? [writeFile(join(folder, loader), externalFilesScript(external))] : []
  const [unfinished] = await Promise.all([Promise.all(pages), ...files, ...leading, ...loading])
  return describeWritten(
    writing,
    redirects,
    unfinished.filter(page => page !== null),
  )
}

/** Lists the files of other hosts, if scripts load any. A script may also load a file that a page loads. */
function listExternal({ site, scripted }: CollectedSite, files: BundlePlan['files']): Map<string, string> {
  if (![...scripted].some(key => files.has(key))) return new Map()
  return new Map(sortedEntries(files).filter(([key]) => !site.own(new URL(key))))
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
  redirects: readonly Redirect[],
  unfinished: readonly UnfinishedPage[],
): WrittenBundle {
  const pathsOf = (pages: readonly UnfinishedPage[]) => pages.map(({ path }) => path)
  const fontPages = pathsOf(unfinished.filter(({ hasFonts }) => hasFonts))
  return {
    paths: [...paths].sort(),
    pagePaths: plan.pages,
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
