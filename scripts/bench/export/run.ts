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
  /** Pages to compare at the root, below a folder, and by double click. */
  samples: Record<Mode, number>
  toolTimeoutMs: number
  keep: boolean
  say(text: string): void
}

export interface ToolResult {
  tool: string
  site: string
  /** Why it was left out, or why there is no copy. */
  obstacle?: string
  wallSeconds?: number
  cpuSeconds?: number
  peakBytes?: number
  peakTreeBytes?: number
  isStopped?: boolean
  copy?: Copy
  checks?: PagesCheck[]
  app?: AppResult
  /** Queries with the very hits of the origin, of all queries. */
  search?: { same: number; of: number }
  /** Ours only. */
  again?: { outcome: 'same bytes' | 'other bytes' | 'failed' | 'stopped'; wallSeconds: number }
  /** Addresses of the report that the origin has: links called dead, files called missing. */
  falseFindings?: string[]
}

export interface SiteResult {
  site: string
  description: string
  pages: number
  isUnseen: boolean
  /** What the origin itself does when used. */
  app?: AppResult
  results: ToolResult[]
}

/** Copies one site with each tool in turn and compares every copy with the origin, page by page in a browser. */
export async function runSite(site: BenchSite, tools: readonly Tool[], plan: Plan): Promise<SiteResult> {
  const prepared = await site.prepare(plan.cacheFolder)
  const origin = await serveStatic(prepared.folder, { hasFallback: site.hasFallback })
  const scratch = await mkdtemp(join(tmpdir(), 'quire-bench-run-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  if (!plan.keep) process.once('exit', removeScratch) // a signal ends the process before `finally`
  try {
    plan.say(`${site.name}: reading ${plan.samples.root} of ${prepared.pages.length} pages at the origin`)
    const reference = await withVisitor(visitor => readOrigin(site, prepared, origin.root.href, plan, visitor))
    const results: ToolResult[] = []
    for (const tool of tools) {
      const left =
        tool.findObstacle() ?? (tool.needsBrowser && site.isServerRendered ? 'the server sends whole pages' : undefined)
      if (left !== undefined) {
        results.push({ tool: tool.name, site: site.name, obstacle: left })
        continue
      }
      const folder = join(scratch, tool.name.replaceAll(' ', '_'))
      results.push(await runTool(tool, site, prepared, origin.root.href, folder, reference, plan))
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
    if (plan.keep) plan.say(`Copies and logs are kept in ${scratch}`)
    else removeScratch()
    process.off('exit', removeScratch)
  }
}

interface Reference {
  originals: Original[]
  app?: AppResult
  hits?: string[][]
}

async function readOrigin(
  site: BenchSite,
  prepared: PreparedSite,
  root: string,
  plan: Plan,
  visitor: Visitor,
): Promise<Reference> {
  const { host } = new URL(root)
  const originals: Original[] = []
  for (const path of sample(prepared.pages, plan.samples.root)) {
    const { look } = await visitor.visit(new URL(path, root).href, host)
    originals.push({ path, look })
  }
  const app = site.app && (await useApp(site.app, root, visitor))
  if (app && !(app.hydrated && app.themeToggles)) {
    throw new Error(`The bench does not know how to use ${site.name} any more: ${JSON.stringify(app)}`)
  }
  const hits = site.search && (await useSearch(site.search, root, visitor))
  if (hits?.some(list => list.length === 0)) throw new Error(`The search of ${site.name} finds nothing at the origin.`)
  return { originals, ...(app ? { app } : {}), ...(hits ? { hits } : {}) }
}

async function runTool(
  tool: Tool,
  site: BenchSite,
  prepared: PreparedSite,
  url: string,
  folder: string,
  reference: Reference,
  plan: Plan,
): Promise<ToolResult> {
  plan.say(`${site.name}: ${tool.name} copies`)
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
    const obstacle = exitCode === null ? 'nothing within the time limit' : `exit code ${exitCode}, no copy`
    return { ...result, obstacle }
  }
  result.copy = sizeCopy(root, prepared.pages)
  plan.say(`${site.name}: ${tool.name} ${run.wallSeconds.toFixed(1)} s, ${result.copy.pages} pages; comparing`)
  const isAlive = createIsAlive(prepared, site.hasFallback)
  await withVisitor(visitor => compare(result, root, url, site, reference, isAlive, plan, visitor))
  if (tool === quire && exitCode === 0) await checkOurs(result, site, url, folder, stdout, isAlive, plan)
  return result
}

/** Adds what the browser sees of a copy. */
async function compare(
  result: ToolResult,
  folder: string,
  originRoot: string,
  site: BenchSite,
  { originals, app, hits }: Reference,
  isAlive: (path: string) => boolean,
  plan: Plan,
  visitor: Visitor,
): Promise<void> {
  const atRoot = await serveStatic(folder, { redirectsFolders: true })
  const inFolder = await serveStatic(folder, { prefix: '/any/sub/folder/', redirectsFolders: true })
  try {
    const places: Record<Mode, Place> = {
      root: { folder, root: atRoot.root.href },
      folder: { folder, root: inFolder.root.href },
      file: { folder, root: pathToFileURL(`${folder}/`).href },
    }
    result.checks = []
    for (const mode of ['root', 'folder', 'file'] as const) {
      const some = sample(originals, plan.samples[mode])
      result.checks.push(await checkPages({ mode, place: places[mode], originals: some, originRoot, isAlive, visitor }))
    }
    const has = (path: string) => findFile(folder, path.replace(/\?.*/, '')) !== null
    const broken = { hydrated: false, themeToggles: false, landsOn: 'no such page', faults: [] }
    if (site.app && app) {
      result.app = has(site.app.clickFrom) ? await useApp(site.app, atRoot.root.href, visitor) : broken
    }
    if (site.search && hits) {
      const found = has(site.search.path) ? await useSearch(site.search, atRoot.root.href, visitor) : []
      const same = hits.filter((list, i) => list.join('\n') === found[i]?.join('\n')).length
      result.search = { same, of: hits.length }
    }
  } finally {
    await atRoot.close()
    await inFolder.close()
  }
}

/** Exports a second time and looks whether the report tells the truth. */
async function checkOurs(
  result: ToolResult,
  site: BenchSite,
  url: string,
  folder: string,
  stdout: string,
  isAlive: (path: string) => boolean,
  plan: Plan,
): Promise<void> {
  const first = readExport(stdout)
  result.falseFindings = [
    ...first.report.deadLinks
      .filter(({ to }) => isAlive(to))
      .map(({ to, count }) => `dead link to ${to}, ${count} times`),
    ...first.report.missingFiles.filter(({ url }) => isAlive(url)).map(({ url }) => `missing file ${url}`),
    ...first.report.unresolved.map(({ page, address }) => `unresolved ${address} in ${page}`),
  ]
  plan.say(`${result.site}: exporting again`)
  const again = join(folder, 'again')
  await mkdir(again)
  const { program, args } = quire.command(url, again, site.domain)
  const run = await runMeasured(program, args, {
    logFile: join(folder, 'again.log'),
    // The limit keeps slow peers from holding up the run; here it would only hide the answer.
    timeoutMs: 5 * plan.toolTimeoutMs,
    folder: again,
  })
  const outcome = () => {
    if (run.exitCode !== 0) return run.exitCode === null ? 'stopped' : 'failed'
    return readExport(run.stdout).sha256 === first.sha256 ? 'same bytes' : 'other bytes'
  }
  result.again = { outcome: outcome(), wallSeconds: run.wallSeconds }
}

async function withVisitor<T>(work: (visitor: Visitor) => Promise<T>): Promise<T> {
  const visitor = await openVisitor()
  try {
    return await work(visitor)
  } finally {
    await visitor.close()
  }
}

/** `count` of them, evenly spread; always the same ones. */
export function sample<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all]
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T)
}
