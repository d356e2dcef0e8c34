import { copyFile, link, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createQueue } from '../../base/queue.ts'
import { replaceManifestUrls } from '../../web/html/manifest.ts'
import type { RawText } from '../../web/html/text-encoding.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import { isRouteKey, routeFile } from '../model/fragment-route.ts'
import type { ExportReport } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { searchScriptPath } from '../model/search-files.ts'
import { type BundleMap, createBundleMap, findAliases, planTargets, referTo } from '../rewrite/bundle-map.ts'
import { findUnresolvedInStylesheet } from '../rewrite/check-links.ts'
import { type Placed, planLayout, relativeReference } from '../rewrite/layout.ts'
import { redirectPage } from '../rewrite/redirect-page.ts'
import { rewriteScript } from '../rewrite/rewrite-script.ts'
import { rewriteStylesheet } from '../rewrite/rewrite-stylesheet.ts'
import { externalFilesPath, externalFilesScript } from '../runtime/external-files.ts'
import { createFindings } from './findings.ts'

/** What the bundle holds and what was found while it was written. */
export interface WrittenBundle {
  /** Paths of all files, the report not among them. */
  paths: string[]
  /** Where the pages are, by key. */
  pagePaths: ReadonlyMap<string, string>
  /** Pages and style sheets that may name fonts. */
  fontPaths: string[]
  pageCount: number
  fileCount: number
  findings: Pick<ExportReport, 'redirects' | 'deadLinks' | 'missingFiles' | 'unresolved' | 'notes'>
}

/** Files of the work folder that are read and written at once. */
const parallelFiles = 4

export interface WriteOptions {
  /** Whether pages load a search of the bundle. */
  hasSearch: boolean
  /** Keys of the pages whose scripts are to start only at their own path. */
  guarded: ReadonlySet<string>
  onPage(): void
}

/** Rewrites everything fetched into its place below `folder` and checks that all of it resolves. */
export async function writeBundle(
  state: CrawlState,
  start: URL,
  folder: string,
  { hasSearch, guarded, onPage }: WriteOptions,
): Promise<WrittenBundle> {
  const aliases = findAliases(state.pages)
  const plan = planBundle(state, aliases)
  const targets = planTargets(state, plan, aliases)
  const map = createBundleMap(state.site, targets, state.exclusions)
  const redirects = [...planRedirects(state, plan.redirects, map), ...planEntrance(plan, start, map)]
  const paths = new Set([...plan.pages.values(), ...plan.files.values(), ...redirects.map(({ path }) => path)])
  const external = listExternal(state, plan.files)
  if (external.size > 0) paths.add(externalFilesPath)
  const unresolved: ExportReport['unresolved'] = []
  const found = createFindings(state.site)
  await makeFolders(folder, paths)
  const known = hasSearch ? new Set([...paths, searchScriptPath]) : paths
  const loader = external.size > 0 ? externalFilesPath : null
  state.pool.beginWriting({ folder, targets, paths: known, loader, hasSearch })

  const queue = createQueue(parallelFiles)
  const jobs: Promise<void>[] = []
  const fontPages: string[] = []
  for (const [key, path] of sortedEntries(plan.pages)) {
    const outcome = state.pages.get(key)
    if (outcome?.state !== 'page') continue
    const { resource } = outcome
    jobs.push(
      queue.add(async () => {
        const { span, charset, url, rendered } = resource
        if (!span) throw new Error(`nothing is kept of the page ${key}`)
        const sources = state.products.sourcesOn(key)
        const losesSearch = state.products.losesSearch(key)
        const guardedAt = guarded.has(key) ? url.pathname : null
        const shell = state.apps.get(key)
        const app = shell?.span ? { span: shell.span, charset: shell.charset, url: shell.url.href } : null
        const task = { span, charset, url: url.href, isRendered: rendered, path, sources, losesSearch, guardedAt, app }
        const page = await state.pool.write(task)
        if (page.hasFonts) fontPages.push(path)
        const findings = found.on(path)
        for (const [url, reason] of page.deadLinks) findings.deadLink(new URL(url), reason)
        for (const [url, reason] of page.missingFiles) findings.missingFile(new URL(url), reason)
        for (const address of page.unresolved) unresolved.push({ page: path, address })
        onPage()
      }),
    )
  }
  function rewriteFile(raw: RawText, resource: Resource, path: string): string {
    const { url, kind } = resource
    if (kind === 'manifest') return rewriteManifest(raw, resource, path, map)
    if (kind === 'stylesheet') return rewriteStylesheet(raw, resource, { path, map, findings: found.on(path) })
    return rewriteScript(raw, { url, path, hasMoved: !state.site.own(url) }, map, found.on(path))
  }

  const written = new Set<string>()
  for (const [key, path] of sortedEntries(plan.files)) {
    const outcome = state.files.get(key)
    if (outcome?.state !== 'file' || written.has(path)) continue
    written.add(path)
    const { resource } = outcome
    jobs.push(
      queue.add(async () => {
        if (resource.kind === 'file') return place(resource.file, join(folder, path))
        const raw = await readResource(resource)
        const text = rewriteFile(raw, resource, path)
        if (text === raw.text && resource.kind === 'script') return place(resource.file, join(folder, path))
        if (resource.kind === 'stylesheet') {
          for (const address of findUnresolvedInStylesheet({ ...raw, text }, path, paths))
            unresolved.push({ page: path, address })
        }
        await writeFile(join(folder, path), text, 'latin1')
      }),
    )
  }
  for (const { path, to } of redirects) {
    jobs.push(queue.add(() => writeFile(join(folder, path), redirectPage(relativeReference(path, to)))))
  }
  if (external.size > 0) jobs.push(writeFile(join(folder, externalFilesPath), externalFilesScript(external)))
  await Promise.all(jobs)

  unresolved.sort((a, b) => compare(a.page, b.page) || compare(a.address, b.address))
  return {
    paths: [...paths].sort(),
    pagePaths: plan.pages,
    fontPaths: [...[...paths].filter(path => path.endsWith('.css')), ...fontPages].sort(),
    pageCount: plan.pages.size,
    fileCount: new Set(plan.files.values()).size,
    findings: {
      redirects: redirects.map(({ path, to }) => ({ from: path, to })).sort((a, b) => compare(a.from, b.from)),
      ...found.list(),
      unresolved,
    },
  }
}

interface BundlePlan {
  pages: Map<string, string>
  files: Map<string, string>
  redirects: Map<string, string>
}

/** Places pages, files and redirects in one go, so that no two of them can want the same name. */
function planBundle(state: CrawlState, aliases: ReadonlyMap<string, string>): BundlePlan {
  const items: (Placed & { into: keyof BundlePlan; own: string })[] = []
  for (const [own, outcome] of state.pages) {
    const isRoute = isRouteKey(own)
    const url = isRoute ? routeFile(own) : new URL(own)
    if (outcome.state === 'page' && !aliases.has(own)) {
      const { type } = outcome.resource
      const key = `${isRoute ? 'route' : 'page'} ${own}`
      items.push({ key, own, into: 'pages', url, isPage: true, type, sha256: '', external: false })
    } else if (
      outcome.state === 'page' ||
      (outcome.state === 'redirect' && !isRoute && !/\.(?!x?html?$)[a-z0-9]{1,8}$/i.test(url.pathname))
    ) {
      // A page's other name leads to it: a reader may have it, and an app's own navigation may show it.
      items.push({
        key: `redirect ${own}`,
        own,
        into: 'redirects',
        url,
        isPage: true,
        type: 'text/html',
        sha256: '',
        external: false,
      })
    }
  }
  for (const [own, outcome] of state.files) {
    if (outcome.state !== 'file') continue
    const { type, sha256 } = outcome.resource
    const external = !state.site.own(new URL(own))
    // Scripts of others find what lies beside them where they ended up after redirects.
    const url = external ? outcome.resource.url : new URL(own)
    items.push({
      key: `file ${own}`,
      own,
      into: 'files',
      url,
      isPage: false,
      type,
      sha256,
      external,
    })
  }
  const placed = planLayout(items)
  const plan: BundlePlan = { pages: new Map(), files: new Map(), redirects: new Map() }
  for (const item of items) plan[item.into].set(item.own, placed.get(item.key) ?? '')
  return plan
}

function planRedirects(state: CrawlState, redirects: ReadonlyMap<string, string>, map: BundleMap) {
  const planned: { path: string; to: string }[] = []
  for (const [key, path] of redirects) {
    const destination = map.findPage(new URL(key))
    if (destination.kind === 'inside' && destination.path !== path && state.pages.get(key))
      planned.push({ path, to: destination.path })
  }
  return planned
}

/** A bundle opens at its root: without a page there, a small one leads to where the site begins. */
function planEntrance(plan: BundlePlan, start: URL, map: BundleMap): { path: string; to: string }[] {
  const taken = [...plan.pages.values(), ...plan.redirects.values(), ...plan.files.values()]
  if (taken.includes('index.html')) return []
  const begin = map.findPage(start)
  const to = begin.kind === 'inside' ? begin.path : [...plan.pages.values()].sort()[0]
  return to ? [{ path: 'index.html', to }] : []
}

/** Files of other hosts, when scripts ask for any of them: what a page asked for once its scripts may ask for again. */
function listExternal(state: CrawlState, files: ReadonlyMap<string, string>): Map<string, string> {
  if (![...state.scripted].some(key => files.has(key))) return new Map()
  return new Map(sortedEntries(files).filter(([key]) => !state.site.own(new URL(key))))
}

/** Where a file stays as it was fetched, which a bundle that is written again needs. Nothing changes it in the bundle. */
async function place(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}

async function makeFolders(folder: string, paths: ReadonlySet<string>): Promise<void> {
  const folders = new Set([...paths].map(path => dirname(path)))
  await Promise.all([...folders].map(name => mkdir(join(folder, name), { recursive: true })))
}

async function readResource({ file, charset }: Resource): Promise<RawText> {
  return { text: await readFile(file, 'latin1'), charset }
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

function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compare(a, b))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
