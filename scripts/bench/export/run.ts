import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AppResult, useApp, useSearch } from './check-app.ts'
import { checkPages, type Mode, type Original, type PagesCheck } from './check-pages.ts'
import { createIsAlive, type Place } from './copy-links.ts'
import { readExport } from './export-result.ts'
import { runMeasured } from './measured-run.ts'
import type { BenchSite, PreparedSite } from './site.ts'
import { type Copy, sizeCopy } from './size-copy.ts'
import { findFile, serveStatic } from './static-server.ts'
import { quire, type Tool } from './tools.ts'
import { openVisitor, type Visitor } from './visitor.ts'

export interface Plan {
  cacheFolder: string
  /** Number of pages to compare in each place: at the root of a host, in a folder of a host, and on file://. */
  samples: Record<Mode, number>
  toolTimeoutMs: number
  keep: boolean
  onProgress(text: string): void
}

export interface ToolResult {
  tool: string
  site: string
  /** The reason why the tool was not run, or why there is no copy. */
  obstacle?: string
  wallSeconds?: number
  cpuSeconds?: number
  peakBytes?: number
  peakTreeBytes?: number
  isStopped?: boolean
  copy?: Copy
  checks?: PagesCheck[]
  app?: AppResult
  /** Number of queries with the same hits as at the origin, and number of all queries. */
  search?: { same: number; of: number }
  /** A second export; only for Quire. */
  again?: { outcome: 'same bytes' | 'other bytes' | 'failed' | 'stopped'; wallSeconds: number }
  /** Findings of Quire's report that are wrong, such as dead links and missing files that the origin has. */
  falseFindings?: string[]
}

export interface SiteResult {
  site: string
  description: string
  pages: number
  isUnseen: boolean
  /** Results of using the origin itself. */
  app?: AppResult
  results: ToolResult[]
}

/** Copies one site with each tool in turn and compares every copy with the origin, page by page in a browser. */
export async function runSite(site: BenchSite, tools: readonly Tool[], plan: Plan): Promise<SiteResult> {
  const prepared = await site.prepare(plan.cacheFolder)
  const origin = await serveStatic(prepared.folder, { hasFallback: site.hasFallback })
  const scratch = await mkdtemp(join(tmpdir(), 'quire-bench-run-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  if (!plan.keep) process.once('exit', removeScratch) // after a signal, `finally` does not run
  try {
    plan.onProgress(`${site.name}: reading ${plan.samples.root} of ${prepared.pages.length} pages at the origin`)
    const source = { site, prepared, url: origin.root.href, isAlive: createIsAlive(prepared, site.hasFallback) }
    const reference = await withVisitor(visitor => readOrigin(source, plan, visitor))
    const results: ToolResult[] = []
    for (const tool of tools) {
      const obstacle =
        tool.findObstacle() ??
        (tool.needsBrowser && site.isServerRendered
          ? 'the server renders the pages, so no browser is needed'
          : undefined)
      if (obstacle !== undefined) {
        results.push({ tool: tool.name, site: site.name, obstacle })
        continue
      }
      const folder = join(scratch, tool.name.replaceAll(' ', '_'))
      results.push(await runTool({ tool, source, folder, reference, plan }))
      if (!plan.keep) await rm(folder, { recursive: true, force: true })
    }
    return {
      site: site.name,
      description: site.description,
      pages: prepared.pages.length,
      isUnseen: site.isUnseen,
      ...(reference.app ? { app: reference.app } : {}),
      results,
    }
  } finally {
    await origin.close()
    if (plan.keep) plan.onProgress(`Copies and logs are kept in ${scratch}`)
    else removeScratch()
    process.off('exit', removeScratch)
  }
}

/** The served site that the tools copy. */
interface Source {
  site: BenchSite
  prepared: PreparedSite
  url: string
  /** Whether the origin has a page or file at a path. */
  isAlive(path: string): boolean
}

/** The pages, scripts and search results of the origin, to compare copies with. */
interface Reference {
  originals: Original[]
  app?: AppResult
  hits?: string[][]
}

async function readOrigin({ site, prepared, url }: Source, plan: Plan, visitor: Visitor): Promise<Reference> {
  const { host } = new URL(url)
  const originals: Original[] = []
  for (const path of sample(prepared.pages, plan.samples.root)) {
    const { look } = await visitor.visit(new URL(path, url).href, host)
    originals.push({ path, look })
  }
  const app = site.app && (await useApp(site.app, url, visitor))
  if (app && !(app.hydrated && app.themeToggles)) {
    throw new Error(`The theme button or menu of ${site.name} no longer works as configured: ${JSON.stringify(app)}`)
  }
  const hits = site.search && (await useSearch(site.search, url, visitor))
  if (hits?.some(list => list.length === 0)) throw new Error(`The search of ${site.name} finds nothing at the origin.`)
  return { originals, ...(app ? { app } : {}), ...(hits ? { hits } : {}) }
}

/** One run of a tool on a site. */
interface ToolRun {
  tool: Tool
  source: Source
  /** The folder in which the tool writes its copy. */
  folder: string
  reference: Reference
  plan: Plan
}

async function runTool(toolRun: ToolRun): Promise<ToolResult> {
  const { tool, source, folder, plan } = toolRun
  const { site, prepared, url } = source
  plan.onProgress(`${site.name}: ${tool.name} is copying`)
  await mkdir(folder, { recursive: true })
  const { program, args } = tool.command(url, folder, site.domain)
  const run = await runMeasured(program, args, {
    logFile: join(plan.keep ? join(folder, '..') : folder, `${tool.name.replaceAll(' ', '_')}.log`),
    timeoutMs: plan.toolTimeoutMs,
    folder,
  })
  const { stdout, exitCode, ...figures } = run
  const result: ToolResult = { tool: tool.name, site: site.name, ...figures, isStopped: exitCode === null }
  const root = tool.findRoot(folder)
  if (root === undefined) {
    const obstacle = exitCode === null ? 'no copy within the time limit' : `exit code ${exitCode}, no copy`
    return { ...result, obstacle }
  }
  result.copy = sizeCopy(root, prepared.pages)
  plan.onProgress(`${site.name}: ${tool.name} ${run.wallSeconds.toFixed(1)} s, ${result.copy.pages} pages; comparing`)
  Object.assign(result, await withVisitor(visitor => compare(toolRun, root, visitor)))
  if (tool === quire && exitCode === 0) Object.assign(result, await checkQuire(toolRun, stdout))
  return result
}

/**
 * Compares a copy with the origin in a browser.
 *
 * @param folder the root of the copy
 */
async function compare(
  { source, reference, plan }: ToolRun,
  folder: string,
  visitor: Visitor,
): Promise<Pick<ToolResult, 'checks' | 'app' | 'search'>> {
  const { site, url: originRoot, isAlive } = source
  const { originals, app, hits } = reference
  const result: Pick<ToolResult, 'app' | 'search'> & { checks: PagesCheck[] } = { checks: [] }
  const atRoot = await serveStatic(folder, { redirectsFolders: true })
  const inFolder = await serveStatic(folder, { prefix: '/any/sub/folder/', redirectsFolders: true })
  try {
    const places: Record<Mode, Place> = {
      root: { folder, root: atRoot.root.href },
      folder: { folder, root: inFolder.root.href },
      file: { folder, root: pathToFileURL(`${folder}/`).href },
    }
    for (const mode of ['root', 'folder', 'file'] as const) {
      const some = sample(originals, plan.samples[mode])
      result.checks.push(await checkPages({ mode, place: places[mode], originals: some, originRoot, isAlive, visitor }))
    }
    const has = (path: string) => findFile(folder, path.replace(/\?.*/, '')) !== null
    const broken = { hydrated: false, themeToggles: false, landsOn: 'the page is missing', faults: [] }
    if (site.app && app) {
      result.app = has(site.app.clickFrom) ? await useApp(site.app, atRoot.root.href, visitor) : broken
    }
    if (site.search && hits) {
      const found = has(site.search.path) ? await useSearch(site.search, atRoot.root.href, visitor) : []
      const same = hits.filter((list, i) => list.join('\n') === found[i]?.join('\n')).length
      result.search = { same, of: hits.length }
    }
    return result
  } finally {
    await atRoot.close()
    await inFolder.close()
  }
}

/**
 * Checks the report of an export against the origin, and exports again to compare the bytes.
 *
 * @param stdout output of the first export
 */
async function checkQuire(
  { source, folder, plan }: ToolRun,
  stdout: string,
): Promise<Pick<ToolResult, 'falseFindings' | 'again'>> {
  const { site, url, isAlive } = source
  const first = readExport(stdout)
  const falseFindings = [
    ...first.report.deadLinks
      .filter(({ to }) => isAlive(to))
      .map(({ to, count }) => `dead link to ${to}, ${count} times`),
    ...first.report.missingFiles.filter(({ url }) => isAlive(url)).map(({ url }) => `missing file ${url}`),
    ...first.report.unresolved.map(({ page, address }) => `unresolved ${address} in ${page}`),
  ]
  plan.onProgress(`${site.name}: exporting again`)
  const again = join(folder, 'again')
  await mkdir(again)
  const { program, args } = quire.command(url, again, site.domain)
  const run = await runMeasured(program, args, {
    logFile: join(folder, 'again.log'),
    // The time limit is meant for slow peers. A longer limit avoids a stopped second export.
    timeoutMs: 5 * plan.toolTimeoutMs,
    folder: again,
  })
  const outcome = () => {
    if (run.exitCode !== 0) return run.exitCode === null ? 'stopped' : 'failed'
    return readExport(run.stdout).sha256 === first.sha256 ? 'same bytes' : 'other bytes'
  }
  return { falseFindings, again: { outcome: outcome(), wallSeconds: run.wallSeconds } }
}

async function withVisitor<T>(work: (visitor: Visitor) => Promise<T>): Promise<T> {
  const visitor = await openVisitor()
  try {
    return await work(visitor)
  } finally {
    await visitor.close()
  }
}

/** Selects `count` evenly spread elements, always the same ones. */
export function sample<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all]
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T)
}
